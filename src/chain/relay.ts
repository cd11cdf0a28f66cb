// Calls without proofs, forwarded to upstreams: never cached, always labelled.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { ReadTrace } from '../content/ref.ts'
import type { BlockRef } from './head.ts'
import type { Level } from './level.ts'

/**
 * - `read`: a known read of a pinned block: repeated at another upstream on failure, shared while in flight.
 * - `trace`: the same, but too expensive to repeat after an answer has begun.
 * - `unlisted`: an unknown method that may write: sent once, unless it was not sent or is not offered.
 */
export type RelayClass = 'read' | 'trace' | 'unlisted'

/** The form of the block parameter: an EIP-1898 object, or a QUANTITY. */
export type PinForm = 'object' | 'number'

export type RelayedCall = {
  readonly method: string
  /** As the caller sent them. */
  readonly params: readonly unknown[]
  /** The position of the parameter for `block`, so that every upstream answers for the same block. */
  readonly pin?: { readonly at: number; readonly form: PinForm; readonly block: BlockRef }
  readonly class: RelayClass
  /** The answer could be proved but was not: several upstreams must agree on it, if the network requires that. */
  readonly provable?: boolean
  /** Query only this upstream, by its name, without comparison. */
  readonly upstream?: string
  /** Traces the queried upstreams. */
  readonly watch?: ReadTrace
}

/** `result`: a JSON value as an upstream returned it. `byNumber`: it received the number of the block, not its hash. */
export type Relayed = {
  readonly result: unknown
  readonly level: Level
  readonly byNumber?: boolean
}

export interface Relay {
  /** Names of the usable upstreams, in the order of the settings. */
  upstreams(): readonly string[]
  /**
   * Throws `upstream_said` (a node's own error: a revert, bad params), `no_method` if no upstream offers it, `absent`
   * for an unknown upstream, `no_state`, `pruned`, `unknown_block`, `over_range`, `no_upstream`, `deadline`.
   */
  call(asked: RelayedCall, signal: AbortSignal): Promise<Relayed>
}
