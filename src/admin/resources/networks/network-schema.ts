// Schemas of networks. The server applies the limits of the settings file to single members. Replies contain no secret: a URL shows
// scheme, host and port, a header only its name.
// Tested by test/admin/admin-networks.test.ts
import { z } from 'zod'
import { time } from '../../time-schema.ts'

const upstreamsMax = 32
const methodsMax = 500

export const networkName = z.string().min(1).max(63)

const mode = z.string().max(16)
const method = z.string().max(101)

const upstreamDraft = z.strictObject({
  /** Absent: the URL of the saved upstream with this name. */
  url: z.string().max(8192).optional(),
  wsUrl: z.string().max(8192).nullable().optional(),
  name: z.string().max(63).optional(),
  trusted: z.boolean().optional(),
  /** It gets no calls. At least one upstream of a network is not paused. */
  paused: z.boolean().optional(),
  headers: z.record(z.string().max(100), z.string().max(8192)).optional(),
  concurrency: z.int().optional(),
  requestsPerSecond: z.int().nullable().optional(),
  timeoutMs: z.int().optional(),
})

export const upstreamDrafts = z.array(upstreamDraft).min(1).max(upstreamsMax)

export const networkDraft = z.strictObject({
  /** Absent: derived from the name, or reported by all upstreams. */
  chainId: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  /** `require`, `prefer` or `off`, for all reads or by method. */
  verify: z.union([mode, z.record(z.string().max(100), mode)]).optional(),
  heads: z
    .strictObject({
      quorum: z.int().optional(),
      trust: z.enum(['votes', 'consensus', 'consensus+trusted']).optional(),
      checkpoint: z.string().max(66).nullable().optional(),
      beacon: z.array(z.string().max(8192)).max(8).optional(),
      require: z.enum(['consensus', 'quorum', 'any']).optional(),
      pollMs: z.int().optional(),
      maxAgeMs: z.int().optional(),
    })
    .optional(),
  allow: z.array(method).max(methodsMax).nullable().optional(),
  deny: z.array(method).max(methodsMax).optional(),
  upstreams: upstreamDrafts.optional(),
})

export const network = z.object({
  name: z.string(),
  /** Decimal; null: cannot be read. */
  chainId: z.string().nullable(),
  /** `settings`: from the settings file, a variable or a flag; not editable here. */
  origin: z.enum(['settings', 'saved']),
  embedded: z.boolean(),
  /** `mainnet@23000000`: chain and block that the embedded chain forks from; null: it has its own genesis block. */
  fork: z.string().nullable(),
  /** Served at paths without a network name. */
  isDefault: z.boolean(),
  /** Why it is not served; null: it is served. */
  problem: z.string().nullable(),
  /** Null: from the settings. */
  created: time.nullable(),
  changed: time.nullable(),
  verify: z.record(z.string(), z.string()),
  /** How heads are confirmed; null: the network has no upstreams, or cannot be read. `beacon`: scheme, host and port. */
  heads: z
    .object({
      quorum: z.int(),
      trust: z.string(),
      require: z.string(),
      checkpoint: z.string().nullable(),
      beacon: z.array(z.string()),
      pollMs: z.int(),
      maxAgeMs: z.int(),
    })
    .nullable(),
  /** Forwarded methods; null: all. */
  allow: z.array(z.string()).nullable(),
  /** Refused methods. */
  deny: z.array(z.string()),
  upstreams: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      wsUrl: z.string().nullable(),
      trusted: z.boolean(),
      /** It gets no calls. */
      paused: z.boolean(),
      headers: z.array(z.string()),
      requestsPerSecond: z.int().nullable(),
    }),
  ),
  /** Null if no server runs. `head`: decimal; null: no head is confirmed. */
  live: z.object({ serving: z.boolean(), head: z.string().nullable() }).nullable(),
})

export const probeReport = z.object({
  name: z.string(),
  /** Decimal: configured, derived from the name, or reported by all upstreams; null: unknown. */
  chainId: z.string().nullable(),
  upstreams: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      trusted: z.boolean(),
      /** Reason of a failed query; null: the upstream replied. */
      failure: z.string().nullable(),
      chainId: z.string().nullable(),
      client: z.string().nullable(),
      head: z.object({ number: z.string(), hash: z.string(), ageSeconds: z.number() }).nullable(),
      genesisHash: z.string().nullable(),
      /** Median of several calls. */
      latencyMs: z.number().nullable(),
      /** Whether it accepts a WebSocket subscription to new heads. */
      pushesHeads: z.boolean(),
      /** Depths, such as `every block`, `the last 128 blocks`, `no block`, `unknown`. */
      proofs: z.string(),
      state: z.string(),
      bodies: z.string(),
      receipts: z.string(),
      /** Methods that Cairn uses and the upstream does not support. */
      lacks: z.array(z.string()),
    }),
  ),
  problems: z.array(
    z.object({
      code: z.string(),
      level: z.enum(['problem', 'warning']),
      text: z.string(),
      fix: z.string(),
    }),
  ),
})
