// Calls that nobody can prove, handed to upstreams: never kept, always labelled.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { ReadTrace } from '../content/read-trace.ts'
import type { BlockRef } from './head.ts'
import type { Level } from './level.ts'

/**
 * - `read`: a known read of a pinned block: asked of another upstream when one fails, shared while under way.
 * - `trace`: the same, but too dear to be asked twice once an answer began.
 * - `unlisted`: nobody described it, so it may write: asked once, unless it was never sent or is not offered.
 */
export type RelayClass = 'read' | 'trace' | 'unlisted'

/** How a method spells its block: an EIP-1898 object, or a QUANTITY. */
export type PinForm = 'object' | 'number'

export type RelayedCall = {
  readonly method: string
  /** As the caller sent them. */
  readonly params: readonly unknown[]
  /** Which position means `block`, so that every upstream answers of the same one. */
  readonly pin?: { readonly at: number; readonly form: PinForm; readonly block: BlockRef }
  readonly class: RelayClass
  /** The answer could be proved but was not: several upstreams are to agree on it, where the network wants that. */
  readonly provable?: boolean
  /** Ask this upstream alone, by its name; its word as it is. */
  readonly upstream?: string
  /** Told whom it took. */
  readonly watch?: ReadTrace
}

/** `result`: a JSON value as an upstream gave it. `byNumber`: it was told the number of the block, not its hash. */
export type Relayed = {
  readonly result: unknown
  readonly level: Level
  readonly byNumber?: boolean
}

export interface Relay {
  /** Names of the upstreams that may be asked, in the order of the settings. */
  upstreams(): readonly string[]
  /**
   * Throws `upstream_said` (an answer a node gives on purpose: a revert, bad params), `no_method` when none
   * offers it, `absent` for an upstream that is not there, `no_state`, `pruned`, `unknown_block`, `over_range`, `no_upstream`, `deadline`.
   */
  call(asked: RelayedCall, signal: AbortSignal): Promise<Relayed>
}
