// What the settings say of the networks served: one embedded chain, or a chain behind upstream nodes. Plain
// values, checked and frozen; who opens networks reads nothing else.
// Tested by src/config/networks.test.ts

/** `require`: proved or refused. `prefer`: proved where it can be, labelled where not. `off`: as upstreams say. */
export type VerifyMode = 'require' | 'prefer' | 'off'

/** What can be proved on a network: everything, headers and state only, nothing (verification 2.3). */
type NetworkPolicy = 'full' | 'header-only' | 'none'

type MiningMode = 'auto' | 'interval' | 'off'

/** The chain that lives in the data folder. */
export type EmbeddedNetworkConfig = {
  readonly embedded: true
  readonly name: string
  readonly genesisFile: string | null
  readonly blocksFile: string | null
  readonly mining: MiningMode
  readonly blockSeconds: number
}

/** One upstream node. */
export type UpstreamConfig = {
  /** Unique in its network; given, or host and port. Holds no credentials. */
  readonly name: string
  /** http or https; may hold a secret. */
  readonly url: string
  /** ws or wss, may hold a secret: where heads are pushed. Not given: where `url` is; null: they are polled. */
  readonly wsUrl?: string | null | undefined
  /** Its word on heads is enough, and its answers that cannot be proved are `trusted`. */
  readonly trusted: boolean
  /** Names in lower case; values may be secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Calls under way at once. */
  readonly concurrency: number
  /** Null: no limit. */
  readonly requestsPerSecond: number | null
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

/** A chain behind upstream nodes. */
export type UpstreamNetworkConfig = {
  readonly embedded: false
  readonly name: string
  readonly chainId: bigint
  readonly verify: {
    /** Null: as the policy has it. `require` where the operator wrote it counts as policy `full`. */
    readonly default: VerifyMode | null
    /** Method -> mode, over the default. */
    readonly methods: Readonly<Record<string, VerifyMode>>
  }
  readonly heads: {
    /** Upstreams that must name the same block; at most as many as there are. */
    readonly quorum: number
    /** `quorum`: a tag or number is answered only by a quorum or a trusted node. */
    readonly require: 'quorum' | 'any'
    readonly pollMs: number
    /** How long the last head is served when no upstream answers. */
    readonly maxAgeMs: number
  }
  /** Hash of block 0, `0x` and 64 hex digits in lower case; null: not said. */
  readonly genesisHash: string | null
  /** Newest first; `from` in seconds since 1970. Null: known by chain id, else not known. */
  readonly blobSchedule:
    | readonly { readonly from: number; readonly baseFeeUpdateFraction: number }[]
    | null
  /** Null: known by chain id, else probed. */
  readonly policy: NetworkPolicy | null
  /** Methods relayed: names, or `debug_*` for all of a namespace. Null: all that nothing else refuses. */
  readonly allow: readonly string[] | null
  /** Methods refused, in the same form; stronger than `allow`. */
  readonly deny: readonly string[]
  /** At least one. */
  readonly upstreams: readonly UpstreamConfig[]
}

export type NetworkConfig = EmbeddedNetworkConfig | UpstreamNetworkConfig
