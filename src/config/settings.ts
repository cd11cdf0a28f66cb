// The settings table: path, type, default, description. Types, environment names, documentation and `cairn config` are generated
// from it. Only app.ts and cli/ read Config; modules receive plain values.
// long: one row for each setting.
import { z } from 'zod'
import { parseIpRule } from '../base/addresses.ts'
import type { EmbeddedNetworkConfig, NetworkConfig } from './network-config.ts'
import { forkExpected, forkPattern } from './network-schema.ts'
import type { SourceConfig } from './source-schema.ts'

/** Metadata of a setting, in addition to its type and default. */
export type SettingMeta = {
  readonly description: string
  /** The value is never shown: `config print` prints a placeholder. */
  readonly secret?: boolean
  /** Read at each use, so a changed file takes effect immediately. */
  readonly live?: boolean
}

const kib = 1024
const mib = 1024 * kib
const dayMs = 86_400_000

function integer(least: number, most: number, initial: number, description: string) {
  return z.int().min(least).max(most).default(initial).meta({ description })
}

function integerOrNull(least: number, description: string) {
  return z.int().min(least).nullable().default(null).meta({ description })
}

function text(initial: string, description: string) {
  return z.string().min(1).default(initial).meta({ description })
}

function flag(initial: boolean, description: string) {
  return z.boolean().default(initial).meta({ description })
}

function share(initial: number, description: string) {
  return z.number().min(0).max(1).default(initial).meta({ description })
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

/** A Stripe key with one of these prefixes. */
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

/** A setting with addresses and CIDR ranges as text, or null. */
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

const domainForm = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/

/** One of `signIn.oidc.rules`: people in any of these groups and any of these domains get the role. */
const ruleSchema = z
  .strictObject(
    {
      groups: z.array(z.string().min(1).max(256)).max(100).default([]),
      domains: z
        .array(z.string().regex(domainForm, 'expected a domain in lower case, such as example.org'))
        .max(100)
        .default([]),
      operator: z.boolean().default(false),
      account: z.string().min(1).max(64).nullable().default(null),
      role: z.enum(['owner', 'member']).default('member'),
    },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? 'expected only groups, domains, operator, account and role'
          : undefined,
    },
  )
  .refine(({ groups, domains }) => groups.length + domains.length > 0, {
    message: 'expected groups or domains, otherwise the rule would apply to all people',
  })

const rulesMax = 200

/** At most 64 multiaddrs. */
function multiaddrs(initial: readonly string[], description: string) {
  return multiaddrList()
    .default([...initial])
    .meta({ description })
}

function multiaddrList() {
  const form = /^\/(?:ip4|ip6|dns|dns4|dns6|dnsaddr)(?:\/[^/\s]{1,256}){1,31}$/
  return z
    .array(z.string().regex(form, 'expected a multiaddr, such as /ip4/192.0.2.1/tcp/4001'))
    .max(64)
}

/** Domains, client addresses or names: lower case, separated by commas. */
function domainList(description: string) {
  return z
    .string()
    .refine(
      (list) => list.split(',').every((entry) => domainForm.test(entry.trim())),
      'expected domains in lower case, a comma between them',
    )
    .nullable()
    .default(null)
    .meta({ description })
}

/** Marks a setting that is read at each use. */
function live<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), live: true })
}

const workersMax = 64

export const settingsSchema = z.strictObject({
  dataDir: text('./cairn-data', 'Data folder. Created if absent.'),
  secretsFile: path(
    'Key pair of the server (PEM, Ed25519), the same on all machines; not in backups. null: `identity.pem` in `dataDir`, created if absent.',
  ),
  workers: z
    .union(
      [z.int().min(0).max(workersMax), z.literal('auto')],
      `expected a whole number from 0 to ${workersMax}, or auto`,
    )
    .default(0)
    .meta({
      description:
        'Processes that answer JSON-RPC calls of networks behind upstreams. 0: one process for everything. `auto`: the number of processors minus 1.',
    }),
  http: z
    .strictObject({
      host: text(
        '127.0.0.1',
        'Address to listen on. `0.0.0.0` accepts connections from other machines.',
      ),
      port: integer(0, 65_535, 8545, 'Port to listen on. 0: any free port.'),
      listener: choice(
        ['lean', 'node'],
        'lean',
        'HTTP parser for JSON-RPC calls: `lean` (own listener), or `node` (node:http, as for all other requests). Replies are the same.',
      ),
      keepAliveMs: integer(1, dayMs, 75_000, 'Time until an idle connection is closed.'),
      headersMs: integer(1, dayMs, 10_000, 'Time limit for receiving the headers of a request.'),
      connectionsMax: integer(
        1,
        65_536,
        4096,
        'Open connections in total. Near the limit, Cairn closes the connections that are idle longest.',
      ),
      connectionsPerAddressMax: integer(
        1,
        65_536,
        1024,
        'Open connections per client address (IPv6: per /64). Loopback counts; proxies of `http.trustedProxies` do not.',
      ),
      trustedProxies: live(
        addresses(
          'Addresses and CIDR blocks of reverse proxies, separated by commas. Their `X-Forwarded-For` names the client. null: none.',
        ),
      ),
      failedKeysPerMinute: live(
        integer(
          1,
          1_000_000,
          300,
          'Wrong keys and secrets per client address (IPv6: per /64) and minute. Further ones return 429.',
        ),
      ),
      keyRates: live(
        choice(
          ['auto', 'none', 'free', 'developer', 'team'],
          'auto',
          'Rates of keys without own rates: those of a plan, `none`, or `auto`: those of `team`, but none if the server is reachable on loopback only.',
        ),
      ),
      drainMs: integer(
        0,
        600_000,
        3000,
        'Time limit for requests in flight when the server stops.',
      ),
      tls: z
        .strictObject({
          certificateFile: path(
            'TLS certificate of both listeners (PEM), with the certificates of its issuers after it. Read again when it changes. null: plain HTTP.',
          ),
          keyFile: path('Private key of this certificate (PEM, without a passphrase).'),
        })
        .prefault({}),
    })
    .prefault({}),
  rpc: z
    .strictObject({
      bodyBytesMax: live(
        integer(kib, 256 * mib, 5 * mib, 'Maximum size of a JSON-RPC request body.'),
      ),
      batchItemsMax: live(integer(1, 1000, 100, 'Maximum number of calls in a batch.')),
      responseBytesMax: live(
        integer(kib, 256 * mib, 25 * mib, 'Maximum size of a JSON-RPC response.'),
      ),
      requestMs: live(integer(1, 3_600_000, 30_000, 'Time limit for a JSON-RPC request.')),
    })
    .prefault({}),
  webSocket: z
    .strictObject({
      connectionsPerKeyMax: integer(1, 65_536, 1000, 'Open WebSocket connections per key.'),
    })
    .prefault({}),
  files: z
    .strictObject({
      uploadBytesMax: live(integerOrNull(1, 'Maximum size of an upload. null: no limit.')),
      isolation: choice(
        ['shared', 'own'],
        'shared',
        'Content that a key reads. `shared`: all stored content by CID. `own`: only content that its account stores or that `files.sources` supply.',
      ),
      idleMs: integer(
        1,
        dayMs,
        60_000,
        'Time limit without progress for a request of the IPFS API.',
      ),
      blocksMax: integer(
        1,
        100_000_000,
        1_000_000,
        'Maximum number of blocks that one upload creates, or that one walk over a DAG visits.',
      ),
      folderBytesMax: integer(
        mib,
        65_536 * mib,
        128 * mib,
        'Memory for the folders of one upload until they are complete; about 200 bytes per file.',
      ),
      uploadsPerKeyMax: live(
        integer(1, 65_536, 16, 'Concurrent uploads of more than 128 KiB per key.'),
      ),
      remotePinsAnywhere: live(
        flag(
          false,
          'Allow pinning services of `pin/remote` at private addresses and over plain HTTP, which reach your own network.',
        ),
      ),
      importProfile: live(
        choice(
          ['unixfs-v0-2015', 'unixfs-v1-2025'],
          'unixfs-v0-2015',
          'Default options of `add`, if neither the request nor the key sets them. Another profile produces other CIDs.',
        ),
      ),
      shardBytes: live(integer(1, 2 * mib, 262_144, 'Size above which `add` shards a directory.')),
      shardEstimate: live(
        z.enum(['links', 'block', 'disabled']).nullable().default(null).meta({
          description:
            'What `files.shardBytes` measures: `links` (names and CIDs) or `block` (the whole block). `disabled`: never shard. null: as in the import profile.',
        }),
      ),
      unpinnedMs: integer(
        1000,
        365 * dayMs,
        dayMs,
        'Time until content added without a pin is deleted.',
      ),
      gcIntervalMs: integer(
        0,
        7 * dayMs,
        3_600_000,
        'Time between garbage collections. 0: only with `cairn gc`.',
      ),
    })
    .prefault({}),
  gateway: z
    .strictObject({
      enabled: live(flag(true, 'Serve the IPFS gateway `/ipfs/<cid>`: raw blocks and CARs.')),
      public: live(
        flag(false, 'Allow gateway requests without a key. They get stored content only.'),
      ),
      pinnedOnly: live(
        flag(
          false,
          'Serve pinned content only: with a key, pins of its account; without, pins of any account.',
        ),
      ),
      deserialized: live(
        flag(
          false,
          'Serve files and directories too. Content that can act as a page is downloaded, not displayed.',
        ),
      ),
      host: live(
        z
          .string()
          .regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'expected a host name in lower case')
          .nullable()
          .default('auto')
          .meta({
            description:
              'Host name that serves only content, and displays pages. `auto`: `content.localhost` if only this machine reaches the server, otherwise none. null: none.',
          }),
      ),
      subdomains: live(
        choice(
          ['auto', 'on', 'off'],
          'auto',
          'Give each root CID the origin `<cid>.ipfs.<gateway.host>`. `on` needs DNS names and a certificate for `*.ipfs.<host>`. `auto`: on for a localhost name.',
        ),
      ),
      dnslink: live(
        z
          .string()
          .refine(
            (list) =>
              list === '*' || list.split(',').every((entry) => domainForm.test(entry.trim())),
            'expected DNS names in lower case, a comma between them, or *',
          )
          .nullable()
          .default(null)
          .meta({
            description:
              'DNS names with DNSLink that Cairn resolves: at `/ipns/<name>`, in IPFS API paths, and as host names. `*`: all names, but none as a host name. null: none.',
          }),
      ),
      abuseContact: live(
        z
          .string()
          .regex(
            /^(?:[^\s@:/]{1,64}@[^\s@:/]{1,190}|https?:\/\/\S{1,500})$/,
            'expected an e-mail address or an http or https URL',
          )
          .nullable()
          .default(null)
          .meta({
            description:
              'Contact that is shown when content is denied: an e-mail address or URL. null: none.',
          }),
      ),
      denyFile: path(
        'Deny list of the gateway, one entry per line. Cairn reads it again when it changes. null: none.',
      ),
      denyFiles: path(
        'More deny lists: files, or folders with `.deny` files, separated by commas. Later lists win. null: none.',
      ),
      requestsPerSecondMax: live(
        integer(
          0,
          1_000_000,
          100,
          'Gateway requests per second and key, or per address without a key. 0: no limit.',
        ),
      ),
      blocksPerSecondMax: live(
        integer(
          0,
          1_000_000,
          2_000,
          'The same for programs that request single raw blocks, as IPFS nodes do: a file of 100 MiB is 400 requests. 0: no limit.',
        ),
      ),
      streamsMax: live(integer(1, 65_536, 256, 'Concurrent gateway replies in total.')),
      streamsPerReaderMax: live(
        integer(1, 65_536, 64, 'Concurrent gateway replies per key, or per address without a key.'),
      ),
    })
    .prefault({}),
  ipns: z
    .strictObject({
      keys: live(
        flag(
          false,
          'Hold keys of IPNS names for accounts, encrypted with `identity.pem`: `key/*` and `name/publish`.',
        ),
      ),
      doh: z
        .string()
        .regex(/^https?:\/\/[^\s@]{1,500}$/, 'expected a URL such as https://dns.example/dns-query')
        .nullable()
        .default(null)
        .meta({
          description:
            'URL of a DNS over HTTPS resolver (RFC 8484) for DNSLink. null: the resolver of the operating system, whose answers are cached for 60 s.',
        }),
    })
    .prefault({}),
  ipfsNetwork: z
    .strictObject({
      mode: choice(
        ['off', 'fetch', 'provide'],
        'off',
        'Use of the IPFS network. `off`: none. `fetch`: search it for missing content, which discloses the CID. `provide`: also serve content that accounts make public.',
      ),
      listen: multiaddrs(
        ['/ip4/0.0.0.0/tcp/4001'],
        'Addresses that accept connections of peers, with `mode: provide`.',
      ),
      announce: multiaddrs(
        [],
        'Addresses in provider records, such as `/dns4/gw.example.org/tcp/443/tls/http` of the gateway. Empty: those of `listen`.',
      ),
      routers: live(
        z
          .array(
            z
              .string()
              .regex(/^https?:\/\/[^\s@?#]{1,500}$/, 'expected http://<host> or https://<host>'),
          )
          .max(16)
          .default(['https://delegated-ipfs.dev'])
          .meta({
            description:
              'Servers that find providers (Delegated Routing V1 over HTTP). Empty: none.',
          }),
      ),
      dht: choice(
        ['client', 'off'],
        'client',
        'Search the distributed hash table (DHT) for providers that routers do not name. `provide` announces there.',
      ),
      bootstrap: multiaddrList().nullable().default(null).meta({
        description:
          'First peers of the DHT, with `/p2p/<peer ID>`. null: those of the public network.',
      }),
      peers: live(
        multiaddrs(
          [],
          'Peers, with `/p2p/<peer ID>`, that are always connected and asked for every block.',
        ),
      ),
      operators: live(
        z.array(z.string().min(1).max(64)).max(100).default([]).meta({
          description:
            'IDs of accounts whose keys can connect and disconnect peers and publish records.',
        }),
      ),
      provide: z
        .strictObject({
          strategy: live(
            choice(
              ['roots', 'all'],
              'roots',
              'Maximum that accounts can announce: the roots of their pins, or all blocks.',
            ),
          ),
          intervalMs: live(
            integer(
              3_600_000,
              2 * dayMs,
              79_200_000,
              'Time between two announcements of a CID. Peers forget one after 48 hours.',
            ),
          ),
          cidsMax: live(
            integer(
              0,
              1_000_000,
              50_000,
              'Maximum number of announced CIDs; further ones are not.',
            ),
          ),
        })
        .prefault({}),
      limits: z
        .strictObject({
          connectionsMax: live(integer(8, 4096, 256, 'Connections with peers.')),
          bytesPerSecondMax: live(
            integer(
              0,
              Number.MAX_SAFE_INTEGER,
              0,
              'Bytes of blocks per second, in each direction. 0: no limit.',
            ),
          ),
          heapBytesMax: integer(
            64 * mib,
            16_384 * mib,
            256 * mib,
            'JavaScript heap of the network process.',
          ),
        })
        .prefault({}),
      private: flag(
        false,
        'Connect to private addresses too, and use the DHT of the local network. For tests and closed networks.',
      ),
    })
    .prefault({}),
  store: z
    .strictObject({
      bytesMax: integerOrNull(
        mib,
        'Maximum total size of segments, database and unfinished uploads. null: limited by the disk.',
      ),
    })
    .prefault({}),
  database: z
    .strictObject({
      url: z
        .string()
        .regex(
          /^postgres(?:ql)?:\/\/[^\s/]+\/\S+$/,
          'expected postgresql://<user>:<password>@<host>/<database>',
        )
        .nullable()
        .default(null)
        .meta({
          description:
            'PostgreSQL database of accounts, keys, people, usage and pins, which several machines share. null: SQLite in `dataDir`.',
          secret: true,
        }),
      connectionsMax: integer(
        2,
        1000,
        16,
        'Maximum number of connections to the database, in addition to one for notifications. Workers have as many again, and one more each.',
      ),
      mayLoseCommits: flag(
        false,
        'Start although the database can lose changes that it confirmed: with standbys, none of which is synchronous, or without `synchronous_commit`.',
      ),
    })
    .prefault({}),
  accounts: z
    .strictObject({
      staleMs: live(
        integer(
          1000,
          dayMs,
          600_000,
          'Time for which known keys work while the database cannot be reached. Then, and for unknown keys, requests get 503.',
        ),
      ),
    })
    .prefault({}),
  objects: z
    .strictObject({
      url: z
        .string()
        .regex(
          /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9._-]+)*\/?$/,
          'expected s3://<bucket>/<prefix>',
        )
        .nullable()
        .default(null)
        .meta({
          description:
            'Bucket, and prefix in it, of file blocks that several machines share. Belongs to one `database.url`. null: file blocks are in `dataDir`.',
        }),
      endpoint: z
        .string()
        .regex(/^https?:\/\/[^\s@?#]+$/, 'expected http://<host> or https://<host>')
        .nullable()
        .default(null)
        .meta({
          description:
            'URL of the S3 service. Requests go to `<endpoint>/<bucket>/<key>`. null: AWS, in `objects.region`.',
        }),
      region: text('us-east-1', 'Region of the bucket.'),
      accessKeyId: z.string().min(1).nullable().default(null).meta({
        description: 'Access key ID of the S3 service.',
      }),
      secretAccessKey: z.string().min(1).nullable().default(null).meta({
        description: 'Secret access key of the S3 service.',
        secret: true,
      }),
      cacheBytes: integer(
        0,
        Number.MAX_SAFE_INTEGER,
        20 * 1024 * mib,
        'Disk space in `dataDir` for copies of objects that this machine has read. 0: no copies.',
      ),
      deleteDelayMs: integer(
        60_000,
        30 * dayMs,
        3_600_000,
        'Time between the deletion of the last block of an object and the removal of the object.',
      ),
    })
    .prefault({}),
  backup: z
    .strictObject({
      to: live(
        z
          .string()
          .regex(
            /^(?:s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9._-]+)*\/?|(?![a-z][a-z0-9+.-]*:\/\/).+)$/i,
            'expected a folder or s3://<bucket>/<prefix>',
          )
          .nullable()
          .default(null)
          .meta({
            description:
              'Target of scheduled backups: a folder or `s3://<bucket>/<prefix>`, of this server alone. null: no scheduled backups.',
          }),
      ),
      everyHours: live(integer(1, 8760, 24, 'Time between backups.')),
      keep: live(
        integer(1, 10_000, 7, 'Newest backups that stay in the target; older ones are removed.'),
      ),
      s3: z
        .strictObject({
          endpoint: live(
            z
              .string()
              .regex(/^https?:\/\/[^\s@?#]+$/, 'expected http://<host> or https://<host>')
              .nullable()
              .default(null)
              .meta({
                description:
                  'URL of the S3 service. Requests go to `<endpoint>/<bucket>/<key>`. null: AWS, in `backup.s3.region`.',
              }),
          ),
          region: live(text('us-east-1', 'Region of the bucket.')),
          accessKeyId: live(
            z.string().min(1).nullable().default(null).meta({
              description: 'Access key ID of the S3 service.',
            }),
          ),
          secretAccessKey: live(
            z.string().min(1).nullable().default(null).meta({
              description: 'Secret access key of the S3 service.',
              secret: true,
            }),
          ),
        })
        .prefault({}),
    })
    .prefault({}),
  memory: z
    .strictObject({
      contentBytesMax: integer(0, 64 * 1024 * mib, 32 * mib, 'Memory for verified chain data.'),
      answersBytesMax: integer(0, 64 * 1024 * mib, 32 * mib, 'Memory for proved answers.'),
    })
    .prefault({}),
  chain: z
    .strictObject({
      name: networkName('dev', 'Network name of the embedded chain.'),
      genesisFile: path('Genesis file of the embedded chain (JSON). null: the built-in genesis.'),
      blocksFile: path('Blocks to import at the first start (concatenated RLP). null: none.'),
      mining: choice(
        ['auto', 'interval', 'off'],
        'auto',
        'When blocks are produced. `auto`: for each transaction. `interval`: every `chain.blockSeconds`, also empty ones. `off`: on `evm_mine` only.',
      ),
      blockSeconds: integer(1, 86_400, 12, 'Time between blocks with `chain.mining: interval`.'),
      fork: z.string().regex(forkPattern, forkExpected).nullable().default(null).meta({
        description:
          'Start from the state of another network, `<network>@<block>`: a number, a hash, `latest` or `finalized`. null: from the genesis block.',
      }),
    })
    .prefault({}),
  card: z
    .strictObject({
      adapter: live(
        choice(
          ['manual', 'none', 'stripe'],
          'manual',
          'Who confirms the billing card of an account. `manual`: the operator (`cairn card set`). `stripe`: Stripe or the operator. `none`: no card is required.',
        ),
      ),
      stripe: z
        .strictObject({
          secretKey: key('sk|rk', 'Secret or restricted key of the Stripe API.', true),
          publishableKey: key('pk', 'Publishable key of the Stripe API. Browsers receive it.'),
          webhookSecret: key('whsec', 'Signing secret of the webhook `/hooks/stripe`.', true),
          apiUrl: live(
            z
              .string()
              .regex(
                /^(https:\/\/[a-z0-9.-]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\]))(:\d{1,5})?$/,
                'expected https://<host>, or http:// with a loopback host',
              )
              .default('https://api.stripe.com')
              .meta({ description: 'URL of the Stripe API.' }),
          ),
          formsPerDayMax: live(
            integer(
              1,
              10_000,
              10,
              'Card forms per account in 24 hours. Per client address: three times as many.',
            ),
          ),
        })
        .prefault({}),
    })
    .prefault({}),
  keys: z
    .strictObject({
      perAccountMax: live(
        integer(
          1,
          1_000_000,
          1_000,
          'Active keys per account, rotated keys in their overlap included. Owners can create ten times as many in total. Operators can create more.',
        ),
      ),
      jwtLifeMsMax: live(
        integer(
          60_000,
          3_650 * dayMs,
          dayMs,
          'Maximum lifetime of a JWT, from `iat` (without it: from the time of the request) to `exp`.',
        ),
      ),
    })
    .prefault({}),
  usage: z
    .strictObject({
      keepDays: live(
        integer(
          31,
          4000,
          400,
          'Retention of daily usage, in days. Hourly usage is retained for 35 days, usage by minute for 26 hours.',
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
            description: 'SMTP server for alerts and invitations. null: none.',
            secret: true,
          }),
      ),
      from: live(
        z.string().min(3).nullable().default(null).meta({
          description:
            'Sender of emails, such as `Cairn <cairn@example.com>`. null: no emails are sent.',
        }),
      ),
    })
    .prefault({}),
  alerts: z
    .strictObject({
      webhooksAnywhere: live(
        flag(
          false,
          "Allow owners' webhooks to private addresses and over plain HTTP, which reach your own network.",
        ),
      ),
    })
    .prefault({}),
  events: z
    .strictObject({
      webhook: z
        .string()
        .regex(
          /^(https:\/\/[^\s/]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?)(\/\S*)?$/,
          'expected https://<host>/<path>, or http:// with a loopback host',
        )
        .nullable()
        .default(null)
        .meta({
          description:
            'URL that gets each entry of the audit log and each refused sign-in, as signed JSON. null: none.',
          secret: true,
        }),
      webhookSecret: z
        .string()
        .regex(/^[\x21-\x7e]{16,512}$/, 'expected 16 to 512 characters without blanks')
        .nullable()
        .default(null)
        .meta({ description: 'Secret that signs these requests (HMAC-SHA256).', secret: true }),
      syslog: z
        .string()
        .regex(
          /^(udp|tcp):\/\/([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):\d{1,5}$/,
          'expected udp://<host>:514 or tcp://<host>:601',
        )
        .nullable()
        .default(null)
        .meta({
          description:
            'Syslog server (RFC 5424) that gets the same events, such as `udp://10.0.0.5:514`. null: none.',
        }),
    })
    .prefault({}),
  admin: z
    .strictObject({
      enabled: flag(true, 'Serve the admin API and the dashboard.'),
      host: z.string().min(1).nullable().default(null).meta({
        description:
          'Address of a separate listener for the admin API and the dashboard. null: same listener as the other APIs.',
      }),
      port: integer(0, 65_535, 8546, 'Port of this listener. Used only if `admin.host` is set.'),
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
              'Host names of the dashboard and the admin API, separated by commas, in addition to `localhost` and loopback addresses.',
          }),
      ),
      ips: live(
        addresses(
          'Client addresses and CIDR blocks that may use the dashboard and the admin API, separated by commas. null: all.',
        ),
      ),
      signUp: live(
        choice(
          ['closed', 'invitation'],
          'closed',
          'Who can invite people. `closed`: operators. `invitation`: also owners, to their accounts.',
        ),
      ),
      sessionIdleMs: live(
        integer(60_000, 90 * dayMs, dayMs / 2, 'Time until an idle session expires.'),
      ),
      sessionMs: live(
        integer(60_000, 400 * dayMs, 30 * dayMs, 'Time after sign-in until a session expires.'),
      ),
      tokenDays: live(
        integer(1, 3650, 90, 'Lifetime of an access token whose request names none, in days.'),
      ),
      tokenDaysMax: live(
        z.int().min(1).max(3650).nullable().default(365).meta({
          description:
            'Maximum lifetime of a new access token, in days. null: tokens without expiry are allowed.',
        }),
      ),
      failedSignInsPerHour: live(
        integer(
          1,
          100_000,
          60,
          'Wrong passwords and codes per person, with a burst of ten. Per client address (IPv6: per /64): five times as many.',
        ),
      ),
      auditKeepDays: live(
        integer(1, 3650, 400, 'Retention of the audit log, in days; at most one million entries.'),
      ),
    })
    .prefault({}),
  signIn: z
    .strictObject({
      password: live(
        flag(
          true,
          'Allow sign-in with email and password. Off requires `signIn.oidc.issuer`. Passkeys remain valid.',
        ),
      ),
      secondFactor: live(
        choice(
          ['optional', 'operators', 'required'],
          'optional',
          'People who need a second factor: none, operators or all. A session without one can only set it up.',
        ),
      ),
      oidc: z
        .strictObject({
          issuer: live(
            z
              .string()
              .regex(
                /^(https:\/\/[A-Za-z0-9.-]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\]))(:\d{1,5})?(\/[A-Za-z0-9._~%+/-]*)?$/,
                'expected https://<host>/<path>, or http:// with a loopback host',
              )
              .nullable()
              .default(null)
              .meta({
                description:
                  'Issuer URL of the OpenID Connect provider, as its discovery document states it. null: none.',
              }),
          ),
          clientId: live(
            z.string().min(1).max(512).nullable().default(null).meta({
              description:
                'Client ID of Cairn at the provider. Its redirect URI is `<dashboard origin>/dashboard/openid`.',
            }),
          ),
          clientSecret: live(
            z.string().min(1).max(1024).nullable().default(null).meta({
              description: 'Client secret. null: a public client, with PKCE only.',
              secret: true,
            }),
          ),
          name: live(
            z.string().min(1).max(40).default('OpenID').meta({
              description: 'Name of the provider, shown on the button of the sign-in page.',
            }),
          ),
          scopes: live(
            z
              .string()
              .regex(
                /^(?=(.* )?openid( |$))[\x21-\x7e]+( [\x21-\x7e]+)*$/,
                'expected scopes with a space between them, openid among them',
              )
              .default('openid email profile')
              .meta({ description: 'Requested scopes, separated by spaces.' }),
          ),
          domains: live(
            domainList(
              'Domains of verified email addresses that may sign in with OpenID, separated by commas. null: all.',
            ),
          ),
          signUp: live(
            choice(
              ['invitation', 'rule', 'closed'],
              'invitation',
              'Who can sign up with OpenID. `invitation`: people with an invitation. `rule`: also people to whom a rule applies. `closed`: none.',
            ),
          ),
          groupsClaim: live(
            text('groups', 'Claim with the names of the groups, in the ID token or in userinfo.'),
          ),
          secondFactorValues: live(
            z.string().min(1).max(512).nullable().default(null).meta({
              description:
                'Values of the claims `amr` and `acr` that count as a second factor, such as `mfa, hwk`. null: none.',
            }),
          ),
          rules: live(
            z.array(ruleSchema).max(rulesMax).default([]).meta({
              description:
                'Roles by group and by domain of the email address, applied at each sign-in with OpenID.',
            }),
          ),
        })
        .prefault({}),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      enabled: flag(true, 'Serve `/metrics`, to requests with a token.'),
      local: live(
        flag(
          false,
          'Serve `/metrics` without a token to programs on this machine, including proxies.',
        ),
      ),
      token: z
        .string()
        .regex(/^[\x21-\x7e]{16,512}$/, 'expected 16 to 512 characters without blanks')
        .nullable()
        .default(null)
        .meta({
          description:
            'Token for `/metrics` (`Authorization: Bearer`), in addition to tokens of operators.',
          secret: true,
          live: true,
        }),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: live(
        choice(['debug', 'info', 'warn', 'error'], 'info', 'Lowest level that is logged.'),
      ),
      calls: live(
        choice(
          ['failed', 'all', 'none'],
          'failed',
          'Calls that are logged, at most 200 per second: `failed` (refused or failed), `all` or `none`.',
        ),
      ),
      addresses: live(
        flag(true, 'Record client addresses of sign-ins, in the log and in the list of sessions.'),
      ),
    })
    .prefault({}),
  accessLog: z
    .strictObject({
      enabled: live(flag(false, 'Write one JSON line for each request of an API.')),
      file: path(
        'File of these lines. Cairn opens it again on SIGHUP. null: they go to standard output.',
      ),
      fileBytesMax: integer(
        0,
        1024 * 1024 * mib,
        64 * mib,
        'Size at which Cairn starts a new file. 0: never; another program rotates the file.',
      ),
      filesMax: integer(1, 1000, 5, 'Number of these files, the current one included.'),
      sample: live(
        share(1, 'Share of the requests without an error that is written. Errors always are.'),
      ),
      addresses: live(flag(false, "Write the client's address.")),
    })
    .prefault({}),
  shared: z
    .strictObject({
      url: z
        .string()
        .regex(
          /^(valkeys?|rediss?):\/\/[^\s/]+(\/\d{1,3})?$/,
          'expected valkey://<host>:<port>, or rediss:// for TLS',
        )
        .nullable()
        .default(null)
        .meta({
          description:
            'Valkey or Redis in which several nodes share limits, filters and inspected requests. null: this node is alone.',
          secret: true,
        }),
    })
    .prefault({}),
  limits: z
    .strictObject({
      alone: live(
        choice(
          ['divide', 'open', 'closed'],
          'divide',
          'Rates while `shared.url` cannot be reached. `divide`: each node admits its part of a rate. `open`: all requests. `closed`: none of a key with a rate.',
        ),
      ),
    })
    .prefault({}),
  node: z
    .strictObject({
      name: z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 letters, digits, dots and dashes')
        .nullable()
        .default(null)
        .meta({
          description: 'Name of this node in logs and in the database. null: the host name.',
        }),
      only: flag(
        false,
        'This is the only node of its shared database, so rates need no `shared.url`.',
      ),
    })
    .prefault({}),
})

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** All settings, validated and deeply frozen. */
export type Config = Frozen<z.output<typeof settingsSchema>> & {
  /** All served networks, default first. Null: the embedded chain of `chain`. */
  readonly networks: readonly NetworkConfig[] | null
  /** Sources of missing file blocks (`files.sources`), unordered. */
  readonly fileSources: readonly SourceConfig[]
}

/** A violated rule between settings: the setting, the message, the fix. */
type Broken = { readonly path: string; readonly problem: string; readonly fix: string }

export function checkTogether(config: Omit<Config, 'fileSources'>): readonly Broken[] {
  return [
    ...checkChain(config.chain, config.networks),
    ...checkDatabase(config),
    ...checkShared(config),
    ...checkCard(config.card),
    ...checkMail(config.mail),
    ...checkTls(config.http),
    ...checkEvents(config.events),
    ...checkBackup(config.backup),
    ...checkObjects(config),
    ...checkSignIn(config.signIn),
    ...checkIpfsNetwork(config),
  ]
}

function checkDatabase(config: Pick<Config, 'database' | 'chain' | 'networks'>): readonly Broken[] {
  if (config.database.url === null || embeddedChain(config) === null) return []
  const problem =
    'database.url is set, expected networks without an embedded chain: each machine would have another chain'
  const fix = 'networks: [{name: mainnet, upstreams: [{url: "http://127.0.0.1:8545"}]}]'
  return [{ path: 'database.url', problem, fix }]
}

function checkEvents({ webhook, webhookSecret }: Config['events']): readonly Broken[] {
  if (webhook === null || webhookSecret !== null) return []
  const problem = 'events.webhook is set, expected events.webhookSecret too: it signs the requests'
  const fix = 'events: {webhookSecret: "${file:/run/secrets/events-webhook}"}'
  return [{ path: 'events.webhook', problem, fix }]
}

function checkTls({ tls }: Config['http']): readonly Broken[] {
  const names = ['certificateFile', 'keyFile'] as const
  const missing = names.filter((name) => tls[name] === null)
  if (missing.length !== 1) return []
  const [absent = 'keyFile'] = missing
  const given = absent === 'keyFile' ? 'certificateFile' : 'keyFile'
  const problem = `http.tls.${given} is set, expected http.tls.${absent} too`
  const fix = `http: {tls: {${absent}: /etc/cairn/${absent === 'keyFile' ? 'key' : 'certificate'}.pem}}`
  return [{ path: `http.tls.${given}`, problem, fix }]
}

function checkBackup({ to, s3 }: Config['backup']): readonly Broken[] {
  if (to === null || !to.startsWith('s3:')) return []
  return (['accessKeyId', 'secretAccessKey'] as const)
    .filter((name) => s3[name] === null)
    .map((name) => ({
      path: 'backup.to',
      problem: `backup.to is a bucket, expected backup.s3.${name} too`,
      fix: `backup: {s3: {${name}: "\${env:S3_${wordsOf(name)}}"}}`,
    }))
}

function checkShared({
  database,
  shared,
  node,
}: Pick<Config, 'database' | 'shared' | 'node'>): readonly Broken[] {
  if (database.url === null || shared.url !== null || node.only) return []
  const problem =
    'database.url is set, expected shared.url too, so that nodes share rates, or node.only: true for a single node'
  return [{ path: 'database.url', problem, fix: 'shared: {url: "${env:VALKEY_URL}"}' }]
}

function checkObjects({
  objects: { url, ...keys },
  database,
}: Pick<Config, 'objects' | 'database'>): readonly Broken[] {
  if (url === null) {
    if (database.url === null) return []
    const problem =
      'database.url is set, expected objects.url too: a file on the disk of one machine is on no other'
    return [{ path: 'database.url', problem, fix: 'objects: {url: "s3://<bucket>/<prefix>"}' }]
  }
  if (database.url === null) {
    const problem =
      'objects.url is set, expected database.url too: it names the blocks in the bucket'
    const fix = 'database: {url: "${env:DATABASE_URL}"}'
    return [{ path: 'objects.url', problem, fix }]
  }
  return (['accessKeyId', 'secretAccessKey'] as const)
    .filter((name) => keys[name] === null)
    .map((name) => ({
      path: 'objects.url',
      problem: `objects.url is a bucket, expected objects.${name} too`,
      fix: `objects: {${name}: "\${env:S3_${wordsOf(name)}}"}`,
    }))
}

function checkIpfsNetwork({
  ipfsNetwork: { mode, announce },
  database,
}: Pick<Config, 'ipfsNetwork' | 'database'>): readonly Broken[] {
  if (mode !== 'provide' || database.url === null) return []
  if (announce.length > 0 && announce.every((one) => /\/https?(\/|$)/.test(one))) return []
  const problem =
    'ipfsNetwork.mode is provide with database.url, expected addresses of the gateway alone in ipfsNetwork.announce: only a server with file blocks in dataDir serves peers'
  const fix = 'ipfsNetwork: {announce: [/dns4/gw.example.org/tcp/443/tls/http]}'
  return [{ path: 'ipfsNetwork.announce', problem, fix }]
}

function checkSignIn({ password, oidc }: Config['signIn']): readonly Broken[] {
  const { issuer, clientId, signUp, rules } = oidc
  const broken = (path: string, problem: string, fix: string): Broken => ({ path, problem, fix })
  return [
    ...(issuer !== null && clientId === null
      ? [
          broken(
            'signIn.oidc.issuer',
            'signIn.oidc.issuer is set, expected signIn.oidc.clientId too',
            'signIn: {oidc: {clientId: cairn}}',
          ),
        ]
      : []),
    ...(!password && issuer === null
      ? [
          broken(
            'signIn.password',
            'signIn.password is false, expected signIn.oidc.issuer: otherwise new people could not sign in',
            'signIn: {password: true}',
          ),
        ]
      : []),
    ...(signUp === 'rule' && rules.length === 0
      ? [
          broken(
            'signIn.oidc.signUp',
            'signIn.oidc.signUp is rule, expected at least one rule in signIn.oidc.rules',
            'signIn: {oidc: {rules: [{domains: [example.org]}]}}',
          ),
        ]
      : []),
  ]
}

function checkMail({ url, from }: Config['mail']): readonly Broken[] {
  if (url === null || from !== null) return []
  const problem = 'mail.url is set, expected mail.from too: without a sender no mail can be sent'
  return [{ path: 'mail.url', problem, fix: 'mail: {from: "Cairn <cairn@example.com>"}' }]
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
      problem: `card.adapter is stripe, expected card.stripe.${name} too`,
      fix: `card: {stripe: {${name}: "\${env:STRIPE_${wordsOf(name)}}"}}`,
    })),
    ...(mixed
      ? [
          {
            path: 'card.stripe.publishableKey',
            problem:
              'one of card.stripe.secretKey and card.stripe.publishableKey is of test mode and the other is not',
            fix: 'take both keys from the same mode of the Stripe dashboard',
          },
        ]
      : []),
  ]
}

function wordsOf(name: string): string {
  return name.replaceAll(/(?=[A-Z])/g, '_').toUpperCase()
}

function checkChain(
  chain: Config['chain'],
  networks: readonly NetworkConfig[] | null,
): readonly Broken[] {
  return [...checkFork(chain, networks), ...checkBlocksFile(chain)]
}

function checkFork(
  { fork, genesisFile, blocksFile }: Config['chain'],
  networks: readonly NetworkConfig[] | null,
): readonly Broken[] {
  if (fork === null) return []
  const path = 'chain.fork'
  if (genesisFile !== null || blocksFile !== null) {
    const other = genesisFile === null ? 'chain.blocksFile' : 'chain.genesisFile'
    const problem = `chain.fork and ${other} are set, expected one of them: a fork has no genesis block`
    return [{ path, problem, fix: `remove ${other}` }]
  }
  const [source] = fork.split('@')
  if (networks?.some(({ name, embedded }) => name === source && !embedded) === true) return []
  const problem = `chain.fork names ${source}, expected a network with upstreams`
  return [{ path, problem, fix: `networks: [{name: ${source}, upstreams: [{url: …}]}]` }]
}

function checkBlocksFile(chain: Config['chain']): readonly Broken[] {
  if (chain.blocksFile === null || chain.genesisFile !== null) return []
  const problem = 'chain.blocksFile is set, expected chain.genesisFile, which its blocks start from'
  return [{ path: 'chain.blocksFile', problem, fix: 'chain: {genesisFile: ./genesis.json}' }]
}

/** The embedded chain to serve, from any form of the settings; null: none. */
export function embeddedChain({
  chain,
  networks,
}: Pick<Config, 'chain' | 'networks'>): EmbeddedNetworkConfig | null {
  if (networks === null) return { embedded: true, ...chain }
  return networks.find((network) => network.embedded) ?? null
}

/** Names of the served networks, default first. */
export function networkNames({
  chain,
  networks,
}: Pick<Config, 'chain' | 'networks'>): readonly string[] {
  return networks === null ? [chain.name] : networks.map(({ name }) => name)
}
