// State of the running server and its upstreams, for admin operations.
// Tested by test/admin/status.test.ts
import type { ProviderCheck } from '../../../ipfs/network/net-messages.ts'
import type { PeerNetworkStatus } from '../../../ipfs/network/peer-network.ts'
import type { ProvideStat } from '../../../ipfs/network/provide-plan.ts'
import type { UpstreamStatus } from '../../../chain/upstream/node/upstream.ts'
import type { InvalidReplyCount, ListedInvalidReply } from '../../../tables/invalid-replies.ts'

/** `number`: number of the newest block; null: no recent head is confirmed. */
type NetworkView = {
  readonly name: string
  readonly chainId: bigint
  readonly embedded: boolean
  readonly head: bigint | null
  /** Milliseconds since the timestamp of that block; null: its header is not in memory. */
  readonly headAgeMs: number | null
  /** How the newest block was resolved: see Anchor in the glossary. */
  readonly anchor: string | null
}

type UpstreamView = Omit<UpstreamStatus, 'reach' | 'lacks'> & {
  readonly network: string
  /** Scheme, host and port, without parts that may be secret. */
  readonly url: string
  /** Blocks whose state it proves: `the last 128 blocks`. */
  readonly proofs: string
}

/** Similar requests that failed because of the server; `status`, `requestId` and `last` are those of the last one. */
type ErrorView = {
  readonly api: 'rpc' | 'ipfs' | 'gateway' | 'admin'
  readonly network: string | null
  /** Empty: not parsed. */
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
  /** Port of the JSON-RPC and IPFS APIs if the admin API has its own listener; null: the same. */
  readonly facesPort: number | null
  /** Default first. */
  networks(): readonly NetworkView[]
  store(): {
    readonly writable: boolean
    readonly bytes: number
    /** Null: limited only by the device. */
    readonly bytesMax: number | null
  }
  /** Access rule of the gateway, `/ipfs/<cid>`. */
  gateway(): {
    readonly enabled: boolean
    readonly public: boolean
    readonly deserialized: boolean
    readonly host: string | null
    readonly local: boolean
  }
  upstreams(): readonly UpstreamView[]
  /** Networks whose upstreams all fail a check; `since`: start of the time in which this kind of data cannot be proved. */
  alarms(): readonly { readonly network: string; readonly need: string; readonly since: number }[]
  /** Newest first, at most 200. */
  errors(): readonly ErrorView[]
  /** Null: `ipfsNetwork.mode` is off. */
  ipfsNetwork(): PeerNetworkStatus | null
  /** Null: the server announces nothing. */
  announcements(): Promise<ProvideStat | null>
  /**
   * Routers and peers of the DHT that list this server as a provider of the CID at the moment. Null: `ipfsNetwork.mode` is off. Throws
   * `no_upstream`, `overloaded`, and `conflict` if another machine announces.
   */
  checkProvider(cid: string, signal: AbortSignal): Promise<readonly ProviderCheck[]> | null
  /** Newest first. `of` null or absent: for all upstreams. `before`: an ID, not included. */
  invalidReplies(page: {
    readonly of?: Pick<InvalidReplyCount, 'network' | 'upstream'> | null
    readonly before?: number
    readonly limit: number
  }): Promise<readonly ListedInvalidReply[]>
  /** Counts of all stored ones. */
  invalidReplyCounts(): Promise<readonly InvalidReplyCount[]>
}
