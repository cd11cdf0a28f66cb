// State of the running server and its upstreams, for admin operations.
// Tested by test/admin/status.test.ts
import type { PeerNetworkStatus } from '../../../ipfs/network/peer-network.ts'
import type { ProvideStat } from '../../../ipfs/network/provide-plan.ts'
import type { InvalidReply } from '../../../chain/upstream/pool/invalid-reply-log.ts'

/** `number`: of the newest block; null: no recent head is confirmed. */
type NetworkView = {
  readonly name: string
  readonly chainId: bigint
  readonly embedded: boolean
  readonly head: bigint | null
  /** Milliseconds since the timestamp of that block; null: its header is not in memory. */
  readonly headAgeMs: number | null
  /** Whose word the newest block is. */
  readonly anchor: string | null
}

type UpstreamView = {
  readonly network: string
  readonly name: string
  /** Scheme, host and port, without parts that may be secret. */
  readonly url: string
  readonly trusted: boolean
  readonly state: 'ok' | 'open' | 'quarantined' | 'cordoned' | 'wrong-chain'
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** Of calls of the last 30 s, 0 to 1. */
  readonly successRate: number
  readonly head: bigint | null
  readonly heads: 'pushed' | 'polled'
  /** Blocks behind the network. */
  readonly lag: number | null
  /** Since the start. */
  readonly lies: number
}

/** Requests that failed for a reason of the server, alike in these members: `status`, `requestId` and `last` of the last one. */
type ErrorView = {
  readonly api: 'rpc' | 'ipfs' | 'gateway' | 'admin'
  readonly network: string | null
  /** Empty: not read. */
  readonly method: string
  readonly code: string
  readonly status: number | null
  readonly requestId: string
  readonly count: number
  /** Milliseconds since 1970 UTC. */
  readonly first: number
  readonly last: number
}

export interface ServerStatus {
  readonly version: string
  /** Milliseconds since 1970 UTC. */
  readonly started: number
  readonly ready: boolean
  /** Of the two faces, where the admin side has a listener of its own; null: the same. */
  readonly facesPort: number | null
  /** The default first. */
  networks(): readonly NetworkView[]
  store(): {
    readonly writable: boolean
    readonly bytes: number
    /** Null: as much as the device takes. */
    readonly bytesMax: number | null
  }
  /** What readers of `/ipfs/<cid>` may have. */
  gateway(): {
    readonly enabled: boolean
    readonly public: boolean
    readonly deserialized: boolean
    readonly host: string | null
    readonly local: boolean
  }
  upstreams(): readonly UpstreamView[]
  /** Of networks whose upstreams all fail a check: the time since which no such data can be proved. */
  alarms(): readonly { readonly network: string; readonly need: string; readonly since: number }[]
  /** The newest first, at most 200. */
  errors(): readonly ErrorView[]
  /** Null: `ipfsNetwork.mode` is off. */
  ipfsNetwork(): PeerNetworkStatus | null
  /** Null: nothing is announced. */
  announcements(): Promise<ProvideStat | null>
  /** The newest first. */
  lies(limit: number): Promise<readonly InvalidReply[]>
}
