// The members of `networks:` in the settings file: type, default, limit, description and example. Error messages and documentation
// are generated from it.
// Tested by src/config/networks.test.ts
import { z } from 'zod'
import { beaconSpecSchema, rootSchema } from './beacon-spec-schema.ts'

/** Metadata of a member. */
export type MemberMeta = {
  readonly description: string
  /** A valid line of YAML; undefined for members with nested members. */
  readonly example?: string
  /** The value is never shown. */
  readonly secret?: boolean
}

/** Header names that Cairn sets itself, or that control the connection (RFC 9110 section 7.6.1). */
const ownHeaders =
  /^(host|content-.*|accept-encoding|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i
const headersMax = 32
const methodsMax = 500
const blobForksMax = 100
const upstreamsMax = 32
const beaconUrlsMax = 8
const mib = 1024 * 1024
const dayMs = 86_400_000

const networkName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes')
  .meta({
    description:
      'Name of the network: host label and path prefix. The first network is the default.',
    example: 'name: mainnet',
  })

function integer(least: number, most: number, meta: MemberMeta & { initial: number }) {
  const { initial, ...rest } = meta
  return z.int().min(least).max(most).default(initial).meta(rest)
}

function filePath(description: string, example: string) {
  return z.string().min(1).nullable().default(null).meta({ description, example })
}

const embeddedMeta: MemberMeta = {
  description: 'The embedded chain in the data folder, without upstreams. At most one network.',
  example: 'embedded: true',
}

/** `<network>@<block>` */
export const forkPattern = /^[a-z0-9][a-z0-9-]{0,62}@(latest|finalized|0x[0-9a-fA-F]{64}|\d{1,15})$/
export const forkExpected =
  'expected <network>@<block>: the name of a network with upstreams, and a number, a block hash, latest or finalized'

export const embeddedSchema = z.strictObject({
  name: networkName,
  embedded: z.literal(true).meta(embeddedMeta),
  genesisFile: filePath(
    'Genesis file of the embedded chain (JSON). null: the built-in genesis.',
    'genesisFile: ./genesis.json',
  ),
  blocksFile: filePath(
    'Blocks to import at the first start (concatenated RLP). null: none.',
    'blocksFile: ./chain.rlp',
  ),
  mining: z.enum(['auto', 'interval', 'off']).default('auto').meta({
    description:
      'When blocks are produced. `auto`: for each transaction. `interval`: every `blockSeconds`. `off`: on `evm_mine` only.',
    example: 'mining: auto',
  }),
  blockSeconds: integer(1, 86_400, {
    initial: 12,
    description: 'Time between blocks with `mining: interval`.',
    example: 'blockSeconds: 12',
  }),
  fork: z.string().regex(forkPattern, forkExpected).nullable().default(null).meta({
    description:
      'Start from the state of another network of the list, `<network>@<block>`: a number, a block hash, `latest` or `finalized`, resolved at the first start. null: from the genesis block.',
    example: 'fork: mainnet@latest',
  }),
})

const verifyMode = z.enum(['require', 'prefer', 'off'])
const methodName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.]{0,99}$/, 'expected the name of a method, such as eth_call')

const methodList = z
  .array(
    z
      .string()
      .regex(
        /^[A-Za-z][A-Za-z0-9_.]{0,99}\*?$/,
        'expected the name of a method, such as eth_call, or a namespace, such as debug_*',
      ),
  )
  .max(methodsMax)

/** Names and values of HTTP headers that Cairn does not set itself. */
export const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'expected the name of an HTTP header')
      .refine((name) => !ownHeaders.test(name), 'this header is set by Cairn'),
    z
      .string()
      .min(1, 'expected a value')
      .max(8192)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header holds no line breaks or control characters'),
  )
  .refine((headers) => Object.keys(headers).length <= headersMax, `at most ${headersMax} headers`)
  .default({})

export const httpUrlSchema = urlSchema('http')

const webSocketUrlSchema = urlSchema('ws')

/** `scheme`: the allowed scheme; its TLS variant is allowed too. */
function urlSchema(scheme: 'http' | 'ws') {
  return z.string().superRefine((url, context) => {
    const message = checkUrl(url, scheme)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
}

export const upstreamNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:[\]-]{0,62}$/,
    'expected letters, digits, dots, dashes and colons',
  )

const upstreamSchema = z.strictObject({
  url: httpUrlSchema.meta({
    description: 'JSON-RPC URL, http or https. Keys in it are redacted.',
    example: 'url: http://127.0.0.1:8545',
    secret: true,
  }),
  wsUrl: webSocketUrlSchema.nullable().optional().meta({
    description:
      'WebSocket URL for new heads, ws or wss. Default: `url` with ws instead of http, if it accepts WebSockets. null: poll only. Cairn sends `headers` there too. Keys in it are redacted.',
    example: 'wsUrl: ws://127.0.0.1:8546',
    secret: true,
  }),
  name: upstreamNameSchema.optional().meta({
    description: 'Name in logs and commands. Default: host and port.',
    example: 'name: own-node',
  }),
  trusted: z.boolean().default(false).meta({
    description:
      'A node that you run. Its head needs no quorum, and Cairn prefers it for answers that cannot be proved. Everything else is still proved.',
    example: 'trusted: true',
  }),
  paused: z.boolean().default(false).meta({
    description:
      'Cairn sends it no calls, for example during its maintenance. At least one upstream of a network is not paused.',
    example: 'paused: false',
  }),
  headers: headersSchema.meta({
    description: 'HTTP headers sent with every call.',
    example: 'headers: {authorization: "${env:NODE_TOKEN}"}',
    secret: true,
  }),
  concurrency: integer(1, 4096, {
    initial: 64,
    description: 'Concurrent calls.',
    example: 'concurrency: 64',
  }),
  requestsPerSecond: z.int().min(1).max(1_000_000).nullable().default(null).meta({
    description: 'Calls per second. null: no limit.',
    example: 'requestsPerSecond: 50',
  }),
  timeoutMs: integer(1, 600_000, {
    initial: 10_000,
    description: 'Time limit of one call. Then Cairn tries another upstream.',
    example: 'timeoutMs: 10000',
  }),
  replyBytesMax: integer(1024, 1024 * mib, {
    initial: 64 * mib,
    description: 'Maximum size of a reply.',
    example: 'replyBytesMax: 67108864',
  }),
})

const headsSchema = z.strictObject({
  trust: z.enum(['votes', 'consensus', 'consensus+trusted']).default('votes').meta({
    description:
      'What decides about heads. `votes`: trusted upstreams or a quorum. `consensus`: signatures of the sync committee, checked by a light client. `consensus+trusted`: also up to 3 newer blocks of a trusted upstream.',
    example: 'trust: consensus',
  }),
  checkpoint: rootSchema
    .nullable()
    .default(null)
    .meta({
      description:
        'Block root of a finalized beacon block, at most 14 days old, where the light client starts. Needed once: later starts use the saved state.',
      example: `checkpoint: "0x${'00'.repeat(32)}"`,
    }),
  beacon: z
    .array(httpUrlSchema.meta({ description: 'URL of a beacon node.', secret: true }))
    .max(beaconUrlsMax)
    .default([])
    .meta({
      description:
        'URLs of beacon nodes with the light client API. Cairn checks all their data. Keys in them are redacted.',
      example: 'beacon: ["http://127.0.0.1:5052"]',
      secret: true,
    }),
  beaconSpec: beaconSpecSchema.nullable().default(null).meta({
    description:
      'Constants of the beacon chain. null: known from the chain ID (mainnet, Sepolia, Hoodi).',
  }),
  quorum: z.int().min(1).max(upstreamsMax).optional().meta({
    description: 'Upstreams that must agree on a block. Default: 2, or 1 with a single upstream.',
    example: 'quorum: 2',
  }),
  require: z.enum(['consensus', 'quorum', 'any']).default('any').meta({
    description:
      'Weakest head that is served. `any`: every head, with its label. `quorum`: no head of one untrusted upstream alone. `consensus`: no head that the light client does not confirm.',
    example: 'require: any',
  }),
  pollMs: integer(50, 600_000, {
    initial: 2000,
    description: "Time between polls of an upstream's head.",
    example: 'pollMs: 2000',
  }),
  maxAgeMs: integer(100, dayMs, {
    initial: 60_000,
    description: 'Time for which the last head is served while no upstream replies.',
    example: 'maxAgeMs: 60000',
  }),
})

export const upstreamNetworkSchema = z.strictObject({
  name: networkName,
  embedded: z.literal(false).default(false).meta(embeddedMeta),
  chainId: z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({
    description: 'Chain ID. Upstreams of another chain are not used.',
    example: 'chainId: 1',
  }),
  verify: z
    .preprocess(
      (given) => (typeof given === 'object' ? given : { default: given }),
      z.record(methodName, verifyMode),
    )
    .optional()
    .meta({
      description:
        'Proof policy, for all reads or per method. `require`: prove or refuse; `prefer`: prove if possible; `off`. Default: `require` for blocks, transactions and receipts of mainnet, Sepolia and Hoodi, else `prefer`. Traces and long `eth_getLogs` have no proof.',
      example: 'verify: require',
    }),
  heads: headsSchema.prefault({}).meta({ description: 'How tags and numbers become blocks.' }),
  genesisHash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')
    .nullable()
    .default(null)
    .meta({
      description: 'Hash of block 0. null: known from the chain ID, else requested from upstreams.',
      example: `genesisHash: "0x${'00'.repeat(32)}"`,
    }),
  genesisFile: filePath(
    'Genesis file of the network (JSON, as geth reads it), for the fork schedule that proves calls. null: known from the chain ID, else calls have no proof.',
    'genesisFile: ./genesis.json',
  ),
  blobSchedule: z
    .array(
      z.strictObject({
        from: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
          description: 'Timestamp from which the fork is active, in seconds since 1970.',
          example: 'from: 1746612311',
        }),
        baseFeeUpdateFraction: z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({
          description:
            '`baseFeeUpdateFraction` of the fork in the `blobSchedule` of the genesis file (EIP-7840).',
          example: 'baseFeeUpdateFraction: 5007716',
        }),
      }),
    )
    .min(1, 'expected at least one fork')
    .max(blobForksMax)
    .nullable()
    .default(null)
    .meta({
      description:
        'Blob base fee update fraction of each fork, to compute `blobGasPrice` in receipts. null: known from the chain ID, else the price comes from an upstream and the reply is labelled `block`.',
      example: 'blobSchedule: [{from: 0, baseFeeUpdateFraction: 3338477}]',
    }),
  policy: z.enum(['full', 'header-only', 'none']).nullable().default(null).meta({
    description:
      'What can be proved on this network: `full`, `header-only` or `none`. null: `full` for chain IDs that Cairn knows; for others, Cairn finds out.',
    example: 'policy: full',
  }),
  allow: methodList.nullable().default(null).meta({
    description:
      'Methods that Cairn forwards; `debug_*` names a namespace. null: all that no rule refuses.',
    example: 'allow: [eth_call, eth_gasPrice]',
  }),
  deny: methodList.default([]).meta({
    description: 'Methods that Cairn refuses, in the same form. Wins over `allow`.',
    example: 'deny: ["debug_*"]',
  }),
  upstreams: z
    .array(upstreamSchema)
    .min(1, 'expected at least one upstream')
    .max(upstreamsMax)
    .meta({
      description: 'The nodes of the network.',
      example: 'upstreams: [{url: "http://127.0.0.1:8545"}]',
      // A misplaced value may be a URL with a key.
      secret: true,
    }),
})

/** Null: valid. The message contains at most the URL's scheme. */
function checkUrl(text: string, scheme: 'http' | 'ws'): string | null {
  // `node:9002` would parse as a URL with the scheme `node`.
  if (!URL.canParse(text) || !text.includes('://')) {
    return `expected a URL that starts with ${scheme}:// or ${scheme}s://`
  }
  const { protocol, hash } = new URL(text)
  if (protocol !== `${scheme}:` && protocol !== `${scheme}s:`) {
    return `expected ${scheme}:// or ${scheme}s://, got ${protocol}//`
  }
  return hash === '' ? null : 'a URL of a node has no #'
}

/** One row of the documentation, named like `upstreams[].url`. */
export type Member = MemberMeta & {
  readonly path: string
  readonly initial: unknown
  readonly isRequired: boolean
}

/** All members of a schema, including nested ones. */
export function listMembers(schema: z.ZodType, prefix = ''): readonly Member[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, inner]): readonly Member[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const below = unwrap(inner)
    const row: Member = {
      path,
      ...(metaOf(inner) ?? { description: '' }),
      initial: inner instanceof z.ZodDefault ? inner.def.defaultValue : undefined,
      isRequired: !inner.safeParse(undefined).success,
    }
    const element = below instanceof z.ZodArray ? (below.element as z.ZodType) : null
    if (element !== null) return [row, ...listMembers(element, `${path}[]`)]
    return shapeOf(below) === null ? [row] : listMembers(below, path)
  })
}

/** The schema at a path of names and indexes below `schema`, or null. */
export function memberAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | null {
  const [name, ...rest] = path
  if (name === undefined) return schema
  const below = unwrap(schema)
  if (below instanceof z.ZodArray) return memberAt(below.element as z.ZodType, rest)
  if (below instanceof z.ZodRecord) return memberAt(below.valueType as z.ZodType, rest)
  const inner = shapeOf(below)?.[String(name)]
  return inner === undefined ? null : memberAt(inner, rest)
}

export function metaOf(schema: z.ZodType | null): MemberMeta | null {
  return (schema?.meta() as MemberMeta | undefined) ?? null
}

/** Names of the members of an object, or null. */
export function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | null {
  const below = unwrap(schema)
  return below instanceof z.ZodObject ? (below.shape as Record<string, z.ZodType>) : null
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional
  ) {
    return unwrap(schema.unwrap() as z.ZodType)
  }
  return schema
}
