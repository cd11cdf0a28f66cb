// Tags and numbers of a network as block hashes: the only facts of a chain that change.
// Tested by src/devchain/chain-head.test.ts
import type { Read } from './read.ts'

/** How a tag or number became a hash (`x-cairn-head`): whose word the block is. */
export type Anchor =
  | 'embedded'
  | 'light-client'
  | 'trusted'
  | 'single'
  | `quorum:${number}/${number}`

/** A block fixed for the rest of a request. `hash`: 32 bytes. `anchor`: absent when the caller named the hash. */
export type BlockRef = {
  readonly network: string
  readonly hash: Uint8Array
  readonly number: bigint
  readonly anchor?: Anchor
}

/** `removed`: blocks that are canonical no more, newest first; `added`: those that are now, oldest first. */
export type HeadUpdate = {
  readonly removed: readonly BlockRef[]
  readonly added: readonly BlockRef[]
}

/** Where a transaction is said to be: a hint to be checked against the proved list. */
export type TransactionHint = { readonly blockHash: Uint8Array; readonly index: number }

/**
 * Tags and numbers, the only mutable facts of a network. Nothing here is proved; everything below is. A read that
 * has to ask an upstream throws `no_upstream`, `unverified`, `deadline`.
 */
export interface Head {
  /** Never goes back while its block is canonical. Throws `no_upstream` when nobody has vouched for one lately. */
  latest(): BlockRef
  /** Null when the head policy knows none. Throws as `latest`. */
  safe(): BlockRef | null
  finalized(): BlockRef | null
  /** The canonical block of that number, or null above the head. */
  byNumber(number: bigint): Read<BlockRef | null>
  /** Judged anew on each call, against the present chain. */
  isCanonical(hash: Uint8Array, number: bigint): Read<boolean>
  /**
   * Where to look for a transaction, one place after the other until one is right. Throws `unverified` after the last
   * one when a place is named that is not right and nothing else explains it.
   */
  locate(
    transactionHash: Uint8Array,
    signal: AbortSignal,
  ): Iterable<TransactionHint> | AsyncIterable<TransactionHint>
  /** Told of each change once it stands, in order. Returns how to stop. */
  watch(listener: (change: HeadUpdate) => void): () => void
}

const strengths = ['single', 'quorum', 'trusted', 'light-client', 'embedded']

/** The one that vouches for less. */
export function weakerAnchor(one: Anchor, other: Anchor): Anchor {
  const strength = (anchor: Anchor) => strengths.indexOf(anchor.split(':')[0] ?? '')
  return strength(one) <= strength(other) ? one : other
}
