// The one table of settings: path, type, default, what it means. Types, environment names, documentation
// and `cairn config` are made from it. Only app.ts and cli/ see Config; modules take plain values.
// long: one row for each setting.
import { z } from 'zod'
import { parseIpRule } from '../base/ip-list.ts'
import type { EmbeddedNetworkConfig, NetworkConfig } from './network-config.ts'
import type { SourceConfig } from './source-schema.ts'

/** What a leaf tells about itself besides its type and default. */
export type SettingMeta = {
  readonly description: string
  /** Never shown: `config print` prints a mark instead. */
  readonly secret?: boolean
  /** Read anew at each use, so that a changed file counts at once. */
  readonly live?: boolean
}

const kib = 1024
const mib = 1024 * kib
const dayMs = 86_400_000

function whole(least: number, most: number, initial: number, description: string) {
  return z.int().min(least).max(most).default(initial).meta({ description })
}

function wholeOrNull(least: number, description: string) {
  return z.int().min(least).nullable().default(null).meta({ description })
}

function text(initial: string, description: string) {
  return z.string().min(1).default(initial).meta({ description })
}

function flag(initial: boolean, description: string) {
  return z.boolean().default(initial).meta({ description })
}

function path(description: string) {
  return z.string().min(1).nullable().default(null).meta({ description })
}

function choice<const Name extends string>(
  names: readonly Name[],
  initial: Name,
  description: string,
) {
  return z
    .enum(names)
    .default(initial as never)
    .meta({ description })
}

/** A key of Stripe, by what it begins with. */
function key(prefixes: string, description: string, secret = false) {
  return z
    .string()
    .regex(
      new RegExp(`^(?:${prefixes})_[A-Za-z0-9_+/=-]{8,250}$`),
      `expected a text that begins with ${prefixes.replace('|', '_ or ')}_`,
    )
    .nullable()
    .default(null)
    .meta({ description, secret, live: true })
}

function networkName(initial: string, description: string) {
  return z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes')
    .default(initial)
    .meta({ description })
}

const addressesMax = 100

/** Addresses and blocks of them in one text, or null. */
function addresses(description: string) {
  return z
    .string()
    .refine((list) => {
      const entries = list.split(',', addressesMax + 1)
      return entries.length <= addressesMax && entries.every((entry) => parseIpRule(entry))
    }, `expected at most ${addressesMax} addresses or blocks of them (CIDR), a comma between them`)
    .nullable()
    .default(null)
    .meta({ description })
}

/** The setting is read at each use. */
function live<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), live: true })
}

export const settingsSchema = z.strictObject({
  dataDir: text('./cairn-data', 'Folder of everything Cairn keeps; made when absent.'),
  http: z
    .strictObject({
      host: text('127.0.0.1', 'Address to listen on; `0.0.0.0` opens it to other machines.'),
      port: whole(0, 65_535, 8545, 'Port to listen on; 0 takes any free one.'),
      listener: choice(
        ['lean', 'node'],
        'lean',
        'Who reads JSON-RPC calls: `lean`, or `node` for node:http as everything else. Answers are the same.',
      ),
      keepAliveMs: whole(1, dayMs, 75_000, 'How long an idle connection is kept open.'),
      headersMs: whole(1, dayMs, 10_000, 'How long the headers of a request may take to arrive.'),
      connectionsMax: whole(
        1,
        65_536,
        4096,
        'Open connections, all addresses together. Near the limit those idle longest are closed.',
      ),
      connectionsPerAddressMax: whole(
        1,
        65_536,
        1024,
        'Open connections from one address, of IPv6 from one /64. Loopback counts too; a proxy of `http.trustedProxies` does not.',
      ),
      trustedProxies: live(
        addresses(
          'Addresses, and blocks of them (CIDR), of proxies in front, a comma between them: their `X-Forwarded-For` names the caller; null: none.',
        ),
      ),
      failedKeysPerMinute: live(
        whole(
          1,
          1_000_000,
          300,
          'Wrong keys and secrets that one address (IPv6: one /64) may bring; more are answered 429.',
        ),
      ),
      keyRates: live(
        choice(
          ['auto', 'none', 'free', 'developer', 'team'],
          'auto',
          'Rates of keys that set none: those of a plan, `none`, or `auto`: those of `team`, and none while `http.host` is loopback.',
        ),
      ),
      drainMs: whole(
        0,
        600_000,
        3000,
        'How long requests in flight may still take once the server stops.',
      ),
    })
    .prefault({}),
  rpc: z
    .strictObject({
      bodyBytesMax: live(whole(kib, 256 * mib, 5 * mib, 'Longest body of a JSON-RPC request.')),
      batchItemsMax: live(whole(1, 1000, 100, 'Calls in one batch.')),
      responseBytesMax: live(whole(kib, 256 * mib, 25 * mib, 'Longest JSON-RPC response.')),
      requestMs: live(whole(1, 3_600_000, 30_000, 'How long a JSON-RPC request may take.')),
    })
    .prefault({}),
  webSocket: z
    .strictObject({
      connectionsPerKeyMax: whole(1, 65_536, 1000, 'Open WebSocket connections of one key.'),
    })
    .prefault({}),
  files: z
    .strictObject({
      uploadBytesMax: live(wholeOrNull(1, 'Longest body of an upload; null: no limit.')),
      isolation: choice(
        ['shared', 'own'],
        'shared',
        'Content that a key reads: `shared`, all stored content by CID; `own`, only content that its account holds or that `fileSources` offer.',
      ),
      idleMs: whole(1, dayMs, 60_000, 'How long a file request may stand still.'),
      blocksMax: whole(
        1,
        100_000_000,
        1_000_000,
        'Blocks that one upload may make, and that one walk over a DAG may visit.',
      ),
      folderBytesMax: whole(
        mib,
        65_536 * mib,
        128 * mib,
        'Memory that the folders of one upload may take until they are complete: some 200 bytes a file.',
      ),
      uploadsPerKeyMax: live(
        whole(1, 65_536, 16, 'Uploads of more than 128 KiB that one key may have at a time.'),
      ),
      importProfile: live(
        choice(
          ['unixfs-v0-2015', 'unixfs-v1-2025'],
          'unixfs-v0-2015',
          'How files are added where neither the request nor the key says; another one gives other CIDs.',
        ),
      ),
      shardBytes: live(
        whole(1, 2 * mib, 262_144, 'Size above which a directory that is added is sharded.'),
      ),
      shardEstimate: live(
        z.enum(['links', 'block', 'disabled']).nullable().default(null).meta({
          description:
            'What that size is of: names and CIDs (links), the whole block, or nothing (disabled); null: as the profile says.',
        }),
      ),
      unpinnedMs: whole(
        1000,
        365 * dayMs,
        dayMs,
        'How long blocks are kept that were added without a pin.',
      ),
      gcIntervalMs: whole(
        0,
        7 * dayMs,
        3_600_000,
        'Between two collections of what nobody keeps any more; 0: only when asked (`cairn gc`).',
      ),
    })
    .prefault({}),
  gateway: z
    .strictObject({
      enabled: live(flag(true, 'Answer readers of `/ipfs/<cid>`: raw blocks and CARs.')),
      public: live(
        flag(false, 'Readers need no key; without one they are given what is stored here.'),
      ),
      pinnedOnly: live(
        flag(
          false,
          "Readers are given pinned roots alone: with a key its account's, else anyone's.",
        ),
      ),
      deserialized: live(
        flag(
          false,
          'Show files and directories too; what could act as a page is saved, not shown.',
        ),
      ),
      host: live(
        z
          .string()
          .regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'expected a host name in lower case')
          .nullable()
          .default(null)
          .meta({
            description:
              'Host name for content alone, where pages are shown in a sandbox; null: none.',
          }),
      ),
      denyFile: path(
        'List of what readers are not given, one entry a line, read anew when it changes; null: none.',
      ),
      requestsPerSecondMax: live(
        whole(
          0,
          1_000_000,
          100,
          'Requests of one reader: of a key, else of an address; 0: no limit.',
        ),
      ),
      streamsMax: live(whole(1, 65_536, 256, 'Answers under way, of all readers.')),
      streamsPerReaderMax: live(whole(1, 65_536, 64, 'Answers under way of one reader.')),
    })
    .prefault({}),
  store: z
    .strictObject({
      bytesMax: wholeOrNull(
        mib,
        'Size that files, database and unfinished uploads may grow to together; null: as the disk allows.',
      ),
    })
    .prefault({}),
  memory: z
    .strictObject({
      contentBytesMax: whole(0, 64 * 1024 * mib, 32 * mib, 'Verified chain data kept in memory.'),
      answersBytesMax: whole(0, 64 * 1024 * mib, 32 * mib, 'Proved answers kept in memory.'),
    })
    .prefault({}),
  chain: z
    .strictObject({
      name: networkName('dev', 'Name of the embedded chain as a network.'),
      genesisFile: path('Genesis of the embedded chain (JSON); null: the built-in one.'),
      blocksFile: path('Blocks to import at the first start (RLP, one after another); null: none.'),
      mining: choice(
        ['auto', 'interval', 'off'],
        'auto',
        'When blocks are made: `auto`: one for each transaction; `interval`: one every `chain.blockSeconds`, empty when nothing waits; `off`: by `evm_mine` only.',
      ),
      blockSeconds: whole(1, 86_400, 12, 'Time between blocks when `chain.mining` is `interval`.'),
    })
    .prefault({}),
  card: z
    .strictObject({
      adapter: live(
        choice(
          ['manual', 'none', 'stripe'],
          'manual',
          'Who says that an account has a billing card: `manual`: the operator (`cairn card set`); `stripe`: Stripe, beside the operator; `none`: nobody asks.',
        ),
      ),
      stripe: z
        .strictObject({
          secretKey: key('sk|rk', 'Secret or restricted key of the API.', true),
          publishableKey: key('pk', 'Publishable key; browsers are shown it.'),
          webhookSecret: key(
            'whsec',
            'Secret that the notices to `/hooks/stripe` are signed with.',
            true,
          ),
          apiUrl: live(
            z
              .string()
              .regex(
                /^(https:\/\/[a-z0-9.-]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\]))(:\d{1,5})?$/,
                'expected https://<host>, or http:// of loopback',
              )
              .default('https://api.stripe.com')
              .meta({ description: 'Where the API is.' }),
          ),
          formsPerDayMax: live(
            whole(
              1,
              10_000,
              10,
              'How often one account may begin to add a card in 24 hours; one address three times as often.',
            ),
          ),
        })
        .prefault({}),
    })
    .prefault({}),
  keys: z
    .strictObject({
      perAccountMax: live(
        whole(
          1,
          1_000_000,
          1_000,
          'Keys that work at a time in one account, and a tenth of all that its owners may make, revoked ones included. Operators may make more.',
        ),
      ),
      jwtLifeMsMax: live(
        whole(
          60_000,
          3_650 * dayMs,
          dayMs,
          'Longest life of a JWT: from `iat` (without it: from the time of the request) to `exp`.',
        ),
      ),
    })
    .prefault({}),
  usage: z
    .strictObject({
      keepDays: live(
        whole(
          31,
          4000,
          400,
          'Days for which usage by day is kept; hours are for 35, minutes for 26 hours.',
        ),
      ),
    })
    .prefault({}),
  mail: z
    .strictObject({
      url: live(
        z
          .string()
          .regex(/^smtps?:\/\/\S+$/, 'expected smtp://<host> or smtps://<user>:<password>@<host>')
          .nullable()
          .default(null)
          .meta({
            description: 'Mail server that alerts and invitations go out by; null: none.',
            secret: true,
          }),
      ),
      from: live(
        z.string().min(3).nullable().default(null).meta({
          description: 'Sender of mails, such as `Cairn <cairn@example.com>`; null: none are sent.',
        }),
      ),
    })
    .prefault({}),
  alerts: z
    .strictObject({
      webhooksAnywhere: live(
        flag(
          false,
          'Let webhooks of owners go to private addresses and over plain HTTP too, into your own network.',
        ),
      ),
    })
    .prefault({}),
  admin: z
    .strictObject({
      enabled: flag(true, 'Serve the admin API and the dashboard.'),
      host: z.string().min(1).nullable().default(null).meta({
        description:
          'Address of a listener for the admin API and the dashboard alone; null: where everything is.',
      }),
      port: whole(0, 65_535, 8546, 'Port of that listener; read only when `admin.host` is set.'),
      hosts: live(
        z
          .string()
          .regex(
            /^[a-z0-9.-]{1,253}(, ?[a-z0-9.-]{1,253}){0,99}$/,
            'expected host names in lower case, a comma between them',
          )
          .nullable()
          .default(null)
          .meta({
            description:
              'Host names by which the dashboard is reached besides `localhost` and the addresses of loopback, a comma between them.',
          }),
      ),
      ips: live(
        addresses(
          'Addresses, and blocks of them (CIDR), that may reach it, a comma between them; null: all that can.',
        ),
      ),
      signUp: live(
        choice(
          ['closed', 'invitation'],
          'closed',
          'Who may let people in: `closed`: operators; `invitation`: owners too, to their accounts.',
        ),
      ),
      sessionIdleMs: live(
        whole(60_000, 90 * dayMs, dayMs / 2, 'A session is over after so long without a request.'),
      ),
      sessionMs: live(
        whole(60_000, 400 * dayMs, 30 * dayMs, 'A session is over so long after sign-in.'),
      ),
      failedSignInsPerHour: live(
        whole(
          1,
          100_000,
          60,
          'Wrong passwords and codes that one person may be tried with, ten at once; one address (IPv6: one /64) may bring five times as many.',
        ),
      ),
      auditKeepDays: live(
        whole(1, 3650, 400, 'How long it is kept who changed what; a million changes at most.'),
      ),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      enabled: flag(true, 'Answer `/metrics`, to requests with a token.'),
      local: live(
        flag(
          false,
          'Answer `/metrics` to programs on this machine without a token. Any proxy on this machine counts as one.',
        ),
      ),
      token: z
        .string()
        .regex(/^[\x21-\x7e]{16,512}$/, 'expected 16 to 512 characters without blanks')
        .nullable()
        .default(null)
        .meta({
          description:
            "Token that opens `/metrics` (`Authorization: Bearer`), besides operators' own.",
          secret: true,
          live: true,
        }),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: live(
        choice(['debug', 'info', 'warn', 'error'], 'info', 'Least level that is logged.'),
      ),
      calls: live(
        choice(
          ['failed', 'all', 'none'],
          'failed',
          'Calls that are logged, at most 200 a second: `failed` (refused or not answered), `all` or `none`.',
        ),
      ),
      addresses: live(
        flag(
          true,
          'Keep the addresses that sign-ins come from: in the log, and for who owns the sessions to see.',
        ),
      ),
    })
    .prefault({}),
})

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** All settings, checked and deeply frozen. */
export type Config = Frozen<z.output<typeof settingsSchema>> & {
  /** Exactly the networks served, the default first. Null: the embedded chain of `chain`. */
  readonly networks: readonly NetworkConfig[] | null
  /** Who is asked for blocks of files that are not here (`files.sources`), in no order. */
  readonly fileSources: readonly SourceConfig[]
}

/** A rule between settings that is broken: at which setting, how, and what mends it. */
type Broken = { readonly path: string; readonly said: string; readonly mend: string }

export function checkTogether({
  chain,
  card,
  mail,
}: Pick<Config, 'chain' | 'card' | 'mail'>): readonly Broken[] {
  return [...checkChain(chain), ...checkCard(card), ...checkMail(mail)]
}

function checkMail({ url, from }: Config['mail']): readonly Broken[] {
  if (url === null || from !== null) return []
  const said = 'mail.url is set, expected mail.from too: without a sender no mail can be sent'
  return [{ path: 'mail.url', said, mend: 'mail: {from: "Cairn <cairn@example.com>"}' }]
}

function checkCard({ adapter, stripe }: Config['card']): readonly Broken[] {
  if (adapter !== 'stripe') return []
  const names = ['secretKey', 'publishableKey', 'webhookSecret'] as const
  const { secretKey, publishableKey } = stripe
  const missing = names.filter((name) => stripe[name] === null)
  const ofTests = [secretKey, publishableKey].map((text) => /^.._test_/.test(text ?? ''))
  const mixed = missing.length === 0 && ofTests[0] !== ofTests[1]
  return [
    ...missing.map((name) => ({
      path: 'card.adapter',
      said: `card.adapter is stripe, expected card.stripe.${name} too`,
      mend: `card: {stripe: {${name}: "\${env:STRIPE_${wordsOf(name)}}"}}`,
    })),
    ...(mixed
      ? [
          {
            path: 'card.stripe.publishableKey',
            said: 'one of card.stripe.secretKey and card.stripe.publishableKey is of test mode and the other is not',
            mend: 'take both keys from the same mode of the Stripe dashboard',
          },
        ]
      : []),
  ]
}

function wordsOf(name: string): string {
  return name.replaceAll(/(?=[A-Z])/g, '_').toUpperCase()
}

function checkChain(chain: Config['chain']): readonly Broken[] {
  if (chain.blocksFile === null || chain.genesisFile !== null) return []
  const said = 'chain.blocksFile is set, expected chain.genesisFile, which its blocks start from'
  return [{ path: 'chain.blocksFile', said, mend: 'chain: {genesisFile: ./genesis.json}' }]
}

/** The embedded chain that is to be served, however the settings name it; null: none. */
export function embeddedChain({
  chain,
  networks,
}: Pick<Config, 'chain' | 'networks'>): EmbeddedNetworkConfig | null {
  if (networks === null) return { embedded: true, ...chain }
  return networks.find((network) => network.embedded) ?? null
}

/** Names of the networks served, the default first. */
export function networkNames({
  chain,
  networks,
}: Pick<Config, 'chain' | 'networks'>): readonly string[] {
  return networks === null ? [chain.name] : networks.map(({ name }) => name)
}
