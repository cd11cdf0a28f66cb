// What a fork schedule states about the fees of blocks. Base fees follow EIP-1559 with the constants of Ethereum.

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

/** `blobs`: null before Cancun, and if the schedule does not state them. */
export type FeeRules = { readonly blobs: BlobRules | null }

/** Of a block of that time (seconds). Throws or rejects with `unprovable` if they are not known. */
export type FindFeeRules = (timestamp: bigint) => FeeRules | Promise<FeeRules>
