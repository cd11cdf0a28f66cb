// Fee rules that a fork schedule defines. Base fees follow EIP-1559 with the constants of Ethereum.

/** Blobs of a block (EIP-4844, EIP-7840). */
export type BlobRules = {
  /** Base fee update fraction. */
  readonly fraction: bigint
  /** In blobs. */
  readonly target: bigint
  readonly max: bigint
  /** EIP-7918 keeps the excess from falling while execution gas costs more. */
  readonly reserve: boolean
}

/** `blobs`: null before Cancun, or if the schedule does not define them. */
export type FeeRules = { readonly blobs: BlobRules | null }

/** Rules for a block with that timestamp (seconds). Throws or rejects with `unprovable` if they are unknown. */
export type FindFeeRules = (timestamp: bigint) => FeeRules | Promise<FeeRules>
