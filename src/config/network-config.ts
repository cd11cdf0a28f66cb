// Settings of the served networks: one embedded chain, or a chain behind upstream nodes. Plain values, validated and frozen; the
// code that opens networks reads no other settings.
// Tested by src/config/networks.test.ts

/** `require`: prove or refuse. `prefer`: prove if possible, otherwise label. `off`: forward the upstreams' answers. */
export type VerifyMode = 'require' | 'prefer' | 'off'

/** Which data of a network can be proved: everything, headers and state only, or nothing. */
type NetworkPolicy = 'full' | 'header-only' | 'none'

type MiningMode = 'auto' | 'interval' | 'off'

/** The chain stored in the data folder. */
export type EmbeddedNetworkConfig = {
  readonly embedded: true
  readonly name: string
  readonly genesisFile: string | null
  readonly blocksFile: string | null
  readonly mining: MiningMode
  readonly blockSeconds: number
  /** `<network>@<block>`; null: the chain starts with its own genesis block. */
  readonly fork: string | null
}

/** One upstream node. */
export type UpstreamConfig = {
  /** Unique in its network; default: host and port. Contains no credentials. */
  readonly name: string
  /** http or https; may contain a secret. */
  readonly url: string
  /** WebSocket URL for new heads, may contain a secret. Undefined: derived from `url`; null: heads are polled. */
  readonly wsUrl?: string | null | undefined
  /** Its head needs no quorum, and its answers that cannot be proved are labelled `trusted`. */
  readonly trusted: boolean
  /** Gets no calls. */
  readonly paused: boolean
  /** Names in lower case; values may be secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Maximum number of concurrent calls. */
  readonly concurrency: number
  /** Null: no limit. */
  readonly requestsPerSecond: number | null
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

/** A beacon chain that is not built in. */
type BeaconSpecConfig = {
  /** Seconds since 1970. */
  readonly genesisTime: number
  /** `0x` and 64 hex digits. */
  readonly genesisValidatorsRoot: string
  readonly secondsPerSlot: number
  readonly slotsPerEpoch: number
  readonly epochsPerPeriod: number
  readonly committeeSize: number
  /** Oldest first; `version`: `0x` and 8 hex digits. */
  readonly forks: readonly {
    readonly name: 'capella' | 'deneb' | 'electra' | 'fulu' | 'gloas'
    readonly epoch: number
    readonly version: string
  }[]
}

/** A chain behind upstream nodes. */
export type UpstreamNetworkConfig = {
  readonly embedded: false
  readonly name: string
  readonly chainId: bigint
  readonly verify: {
    /** Null: decided by the policy. An explicit `require` is treated as policy `full`. */
    readonly default: VerifyMode | null
    /** Method -> mode, overrides the default. */
    readonly methods: Readonly<Record<string, VerifyMode>>
  }
  readonly heads: {
    /** Number of upstreams that must report the same block; at most the number of upstreams. */
    readonly quorum: number
    /** `votes`: only upstreams; `consensus`: only the light client; `consensus+trusted`: also newer blocks of a trusted node. */
    readonly trust: 'votes' | 'consensus' | 'consensus+trusted'
    /** `quorum`: resolves a tag or number only with a quorum or a trusted node; `consensus`: only with the light client. */
    readonly require: 'consensus' | 'quorum' | 'any'
    /** Block root of the light client's checkpoint, `0x` and 64 hex digits in lower case; null: not configured. */
    readonly checkpoint: string | null
    /** URLs of beacon nodes; may contain secrets. */
    readonly beacon: readonly string[]
    /** Null: derived from the chain ID. */
    readonly beaconSpec: BeaconSpecConfig | null
    readonly pollMs: number
    /** How long the last head is served while no upstream replies. */
    readonly maxAgeMs: number
  }
  /** Hash of block 0, `0x` and 64 hex digits in lower case; null: not configured. */
  readonly genesisHash: string | null
  /** Null: the fork schedule is derived from the chain ID, or unknown. */
  readonly genesisFile: string | null
  /** Newest first; `from` in seconds since 1970. Null: derived from the chain ID, or unknown. */
  readonly blobSchedule:
    | readonly { readonly from: number; readonly baseFeeUpdateFraction: number }[]
    | null
  /** Null: derived from the chain ID, or probed. */
  readonly policy: NetworkPolicy | null
  /** Methods to forward: names, or `debug_*` for a namespace. Null: all that no rule refuses. */
  readonly allow: readonly string[] | null
  /** Methods to refuse, in the same form; takes precedence over `allow`. */
  readonly deny: readonly string[]
  /** Contains at least one that is not paused. */
  readonly upstreams: readonly UpstreamConfig[]
}

export type NetworkConfig = EmbeddedNetworkConfig | UpstreamNetworkConfig

/** Those that are not paused. */
export function activeUpstreams<Upstream extends Pick<UpstreamConfig, 'paused'>>({
  upstreams,
}: {
  readonly upstreams: readonly Upstream[]
}): readonly Upstream[] {
  return upstreams.filter(({ paused }) => !paused)
}
