// State of the running server and its upstreams, for admin operations.
// Tested by test/admin/status.test.ts
import type { PeerNetworkStatus } from '../../../ipfs/network/peer-network.ts'
import type { ProvideStat } from '../../../ipfs/network/provide-plan.ts'
import type { UpstreamStatus } from '../../../chain/upstream/node/upstream.ts'
import type { InvalidReplyCount, ListedInvalidReply } from '../../../tables/invalid-replies.ts'

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

type UpstreamView = Omit<UpstreamStatus, 'reach' | 'lacks'> & {
  readonly network: string
  /** Scheme, host and port, without parts that may be secret. */
  readonly url: string
  /** Blocks whose state it proves: `the last 128 blocks`. */
  readonly proofs: string
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
  /** The newest first. `of` null or absent: of all upstreams. `before`: an ID, not included. */
  invalidReplies(page: {
    readonly of?: Pick<InvalidReplyCount, 'network' | 'upstream'> | null
    readonly before?: number
    readonly limit: number
  }): Promise<readonly ListedInvalidReply[]>
  /** Of all that are stored. */
  invalidReplyCounts(): Promise<readonly InvalidReplyCount[]>
}
