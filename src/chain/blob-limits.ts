// Target and most blobs per block, known by the fork's base fee update fraction (EIP-4844, 7691, 7892).
// Tested by src/rpc/methods/rpc-compat.test.ts

/** In blobs. `reserve`: EIP-7918 keeps the excess from falling while execution gas costs more. */
export type BlobLimits = {
  readonly target: bigint
  readonly max: bigint
  readonly reserve: boolean
}

/**
 * Null for a fraction of no known fork. Prague and Osaka share theirs, so Osaka's reserve price is left
 * out until the first fork that changes blob parameters only.
 */
export function findBlobLimits(fraction: bigint): BlobLimits | null {
  switch (fraction) {
    case 3_338_477n:
      return { target: 3n, max: 6n, reserve: false }
    case 5_007_716n:
      return { target: 6n, max: 9n, reserve: false }
    case 8_346_193n:
      return { target: 10n, max: 15n, reserve: true }
    case 11_684_671n:
      return { target: 14n, max: 21n, reserve: true }
    default:
      return null
  }
}
