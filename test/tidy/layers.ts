// The house rules as data: the layer table of docs/explanation/architecture.md, wrapped external interfaces, banned words.
// Tested by test/tidy/check.test.ts

export type Layer = { readonly level: number; readonly folders: readonly string[] }

/** A folder of `src/` imports only from lower levels; folders on one level do not import each other. */
export const layers: readonly Layer[] = [
  { level: 11, folders: ['.', 'server', 'cli'] },
  { level: 10, folders: ['admin', 'valkey'] },
  { level: 9, folders: ['rpc', 'kubo', 'ipfs-gateway'] },
  { level: 8, folders: ['pipeline', 'devchain', 'proved-calls'] },
  { level: 7, folders: ['http', 'evm', 'metrics'] },
  { level: 6, folders: ['chain', 'beacon', 'ipfs', 'access', 'backup'] },
  { level: 5, folders: ['content'] },
  { level: 4, folders: ['tables'] },
  { level: 3, folders: ['codec', 'db'] },
  { level: 2, folders: ['config'] },
  { level: 1, folders: ['base'] },
]

/** Modules of one folder, without tests and subfolders. */
export const folderModulesMax = 40

/** main.ts, server/ and cli/ compose the rest and may import each other. */
export const mayImportEachOther: readonly string[] = ['.', 'server', 'cli']

/** Only the top layer imports settings; all other layers receive plain values. */
export const onlyImportedBy: Readonly<Record<string, readonly string[]>> = {
  config: ['.', 'server', 'cli', 'config'],
}

/** Only files whose path starts with one of `behind` may use `thing` (a module, or a call in the code). */
export type Door = {
  readonly thing: string
  readonly module?: RegExp
  readonly code?: RegExp
  readonly behind: readonly string[]
  /** `import type` of the module is allowed below these paths. */
  readonly typesBehind?: readonly string[]
}

export const doors: readonly Door[] = [
  {
    thing: 'node:http',
    module: /^(node:)?(http|https|http2)$/,
    behind: ['http/server.ts'],
    typesBehind: ['http/', 'rpc/api/', 'kubo/', 'ipfs-gateway/', 'admin/', 'server/', 'pipeline/'],
  },
  {
    thing: 'ws',
    module: /^ws$/,
    behind: ['rpc/api/web-socket-api.ts', 'chain/upstream/node/head-feed.ts'],
    typesBehind: ['rpc/api/'],
  },
  {
    thing: 'SQL',
    code: /\bSELECT (?:\w|'|\*)|\b(?:INSERT|REPLACE) (?:OR \w+ )?INTO \w|\bUPDATE \w+ SET\b|\bDELETE FROM \w|\bPRAGMA \w/,
    behind: ['tables/', 'db/'],
  },
  { thing: 'node:sqlite', module: /^node:sqlite$/, behind: ['db/sqlite.ts'] },
  { thing: 'pg', module: /^pg$/, behind: ['db/postgres/'] },
  {
    thing: 'undici',
    module: /^undici$/,
    behind: ['base/http-origin.ts'],
    typesBehind: ['chain/upstream/node/', 'ipfs/sources/http-client.ts'],
  },
  { thing: '@tus/*', module: /^@tus\//, behind: ['kubo/tus/'] },
  {
    thing: '@ethereumjs/*',
    module: /^@ethereumjs\//,
    behind: ['evm/', 'devchain/', 'proved-calls/'],
  },
  {
    thing: 'worker threads',
    module: /^(node:)?worker_threads$/,
    behind: [
      'codec/hash/',
      'db/',
      'evm/threads/',
      'devchain/',
      'proved-calls/',
      'backup/',
      'ipfs/network/',
      'beacon/',
    ],
  },
  {
    thing: 'node:dns',
    module: /^(node:)?dns(\/|$)/,
    behind: [
      'base/outbound.ts',
      'ipfs/names/txt-lookup.ts',
      'ipfs/network/child/dial-rules.ts',
      'access/events/send-syslog.ts',
    ],
  },
  { thing: '@redis/client', module: /^@redis\/client$/, behind: ['valkey/connection.ts'] },
  { thing: 'aws4fetch', module: /^aws4fetch$/, behind: ['content/objects/s3-client.ts'] },
  { thing: 'prom-client', module: /^prom-client$/, behind: ['metrics/registry.ts'] },
  { thing: '@opentelemetry/*', module: /^@opentelemetry\//, behind: ['server/open-traces.ts'] },
  { thing: 'stripe', module: /^stripe$/, behind: ['access/cards/stripe-provider.ts'] },
  { thing: 'nodemailer', module: /^nodemailer$/, behind: ['access/alerts/send-mail.ts'] },
  { thing: 'otpauth', module: /^otpauth$/, behind: ['access/people/second-factor.ts'] },
  {
    thing: '@simplewebauthn/server',
    module: /^@simplewebauthn\/server(\/|$)/,
    behind: ['access/people/passkey-responses.ts'],
  },
  { thing: 'csv-parse', module: /^csv-parse(\/|$)/, behind: ['cli/migrate/csv-lines.ts'] },
  {
    thing: 'openid-client',
    module: /^openid-client$/,
    behind: ['access/people/oidc/provider.ts'],
    typesBehind: ['access/people/oidc/provider-fetch.ts'],
  },
  {
    thing: 'libp2p',
    module: /^(libp2p|@libp2p\/.*|@multiformats\/multiaddr)$/,
    behind: ['ipfs/network/child/'],
  },
  { thing: '@noble/curves', module: /^@noble\/curves\//, behind: ['beacon/bls.ts'] },
  { thing: 'commander', module: /^commander$/, behind: ['cli/'] },
  { thing: 'zod', module: /^zod$/, behind: ['config/', 'admin/'] },
  { thing: 'yaml', module: /^yaml$/, behind: ['config/'] },
  { thing: 'process.env', code: /\bprocess\.env\b/, behind: ['config/'] },
  {
    thing: 'the clock',
    code: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|(?<![.\w])(setTimeout|setInterval)\b|\bAbortSignal\.timeout\b/,
    behind: ['base/clock.ts', 'base/deadline.ts'],
  },
]

/** Banned words without meaning, in names of files, folders and exports. */
export const bannedWords: readonly string[] = [
  'util',
  'utils',
  'common',
  'helper',
  'helpers',
  'manager',
  'service',
  'repository',
  'misc',
]
export const bannedLastWord = 'info'

/** Permitted names with a banned word, each with its reason. */
export const allowedNames: Readonly<Record<string, string>> = {
  pin_remote_service_add: 'a command of Kubo',
  pin_remote_service_ls: 'a command of Kubo',
  pin_remote_service_rm: 'a command of Kubo',
}

/** The only files that re-export others. */
export const indexFiles: readonly string[] = [
  'rpc/methods/index.ts',
  'kubo/commands/index.ts',
  'ipfs-gateway/operations/index.ts',
  'admin/index.ts',
]

/** A longer file states the reason in its header: a comment line with `long: <reason>`. */
export const longLines = 400
