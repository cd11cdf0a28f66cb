// Calls without proofs, forwarded to upstreams: never cached, always labelled.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { ReadTrace } from '../content/ref.ts'
import type { BlockRef } from './head.ts'
import type { Level } from './level.ts'

/**
 * - `read`: a known read of a pinned block: retried at another upstream on failure, and concurrent requests share one.
 * - `trace`: the same, but too expensive to retry after a response has begun.
 * - `unlisted`: an unknown method that may write: retried only if it was not sent or the upstream does not offer it.
 */
export type RelayClass = 'read' | 'trace' | 'unlisted'

/** The form of the block parameter: an EIP-1898 object, or a QUANTITY. */
export type PinForm = 'object' | 'number'

export type RelayedCall = {
  readonly method: string
  /** As the client sent them. */
  readonly params: readonly unknown[]
  /** The position of the parameter for `block`, so that every upstream answers for the same block. */
  readonly pin?: { readonly at: number; readonly form: PinForm; readonly block: BlockRef }
  readonly class: RelayClass
  /** True if the answer could have been proved but was not: several upstreams must then agree, if the network requires that. */
  readonly provable?: boolean
  /** Query only this upstream, by its name, without comparison. */
  readonly upstream?: string
  /** Records the queried upstreams. */
  readonly watch?: ReadTrace
}

/** `result`: the JSON value from an upstream. `byNumber`: the upstream received the block number instead of the hash. */
export type Relayed = {
  readonly result: unknown
  readonly level: Level
  readonly byNumber?: boolean
}

export interface Relay {
  /** Names of the usable upstreams, in the order of the settings. */
  upstreams(): readonly string[]
  /**
   * Throws `upstream_said` (an error of the node: a revert, invalid params), `no_method` if no upstream offers the method,
   * `absent` for an unknown upstream, `no_state`, `pruned`, `unknown_block`, `over_range`, `no_upstream`, `deadline`.
   */
  call(request: RelayedCall, signal: AbortSignal): Promise<Relayed>
}
