// Tags and numbers of a network as block hashes: the only facts of a chain that change.

/** A block fixed for the rest of a request. `hash`: 32 bytes. */
export type BlockRef = {
  readonly network: string
  readonly hash: Uint8Array
  readonly number: bigint
}

/** How a tag or number became a hash (`x-cairn-head`). */
export type Anchor = 'embedded' | 'trusted' | 'single' | `quorum:${number}/${number}`

/** Tags and numbers, the only mutable facts of a network. Nothing here is proved; everything below is. */
export interface Head {
  readonly anchor: Anchor
  latest(): BlockRef
  /** Null when the head policy knows none. */
  safe(): BlockRef | null
  finalized(): BlockRef | null
  /** The canonical block of that number, or null above the head. */
  byNumber(number: bigint): BlockRef | null
  /** Judged anew on each call, against the present chain. */
  isCanonical(hash: Uint8Array, number: bigint): boolean
  /** Where a transaction is said to be: a hint to be checked against the proved list. */
  locate(
    transactionHash: Uint8Array,
  ): { readonly blockHash: Uint8Array; readonly index: number } | null
}
