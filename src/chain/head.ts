// Resolves the tags and numbers of a network to block hashes: the only mutable facts of a chain.
// Tested by src/devchain/chain-head.test.ts
import type { Read } from './read.ts'

/** How a tag or number was resolved to a hash (`x-cairn-head`): the source that vouches for the block. */
export type Anchor =
  | 'embedded'
  | 'trusted'
  | 'single'
  | `quorum:${number}/${number}`
  /** Signed by k of n members of the sync committee, at least two thirds. */
  | `consensus:${number}/${number}`

/** A block fixed for the rest of a request. `hash`: 32 bytes. `anchor`: absent if the client named the hash. */
export type BlockRef = {
  readonly network: string
  readonly hash: Uint8Array
  readonly number: bigint
  readonly anchor?: Anchor
}

/** `removed`: blocks that are no longer canonical, newest first; `added`: new canonical blocks, oldest first. */
export type HeadUpdate = {
  readonly removed: readonly BlockRef[]
  readonly added: readonly BlockRef[]
}

/** The reported location of a transaction: a hint that must be checked against the proved list. */
export type TransactionHint = { readonly blockHash: Uint8Array; readonly index: number }

/**
 * Tags and numbers, the only mutable facts of a network. They are not proved; all other data is. A read that queries an
 * upstream throws `no_upstream`, `unverified`, `deadline`.
 */
export interface Head {
  /** Never moves back while its block is canonical. Throws `no_upstream` if no upstream has confirmed a head recently. */
  latest(): BlockRef
  /** Null if the head policy does not determine one. Throws like `latest`. */
  safe(): BlockRef | null
  finalized(): BlockRef | null
  /** The canonical block with that number; null above the head. */
  byNumber(number: bigint): Read<BlockRef | null>
  /** Checked on each call, against the current chain. */
  isCanonical(hash: Uint8Array, number: bigint): Read<boolean>
  /**
   * Yields possible locations of a transaction until the caller finds the correct one. Throws `unverified` at the end if a
   * reported location is wrong and a reorg does not explain it.
   */
  locate(
    transactionHash: Uint8Array,
    signal: AbortSignal,
  ): Iterable<TransactionHint> | AsyncIterable<TransactionHint>
  /** Calls `listener` for each change after it took effect, in order. Returns a stop function. */
  watch(listener: (change: HeadUpdate) => void): () => void
}

const strengths = ['single', 'quorum', 'trusted', 'consensus', 'embedded']

/** The anchor with the weaker guarantee. */
export function weakerAnchor(one: Anchor, other: Anchor): Anchor {
  const strength = (anchor: Anchor) => strengths.indexOf(anchor.split(':')[0] ?? '')
  return strength(one) <= strength(other) ? one : other
}
