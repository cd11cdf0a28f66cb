// Chooses the check by kind. What the checks do is codec's business; that each kind has one is decided here.
import type { ContentKind, Verify } from './ref.ts'

type KeccakKind = Exclude<ContentKind, 'dag-block'>

/** `dagBlock`: of an IPFS block, by its multihash. Both throw Fault `unverified`. */
export function createVerify(checks: {
  readonly keccakKinds: (
    ref: { readonly kind: KeccakKind; readonly hash: Uint8Array },
    bytes: Uint8Array,
  ) => void
  readonly dagBlock: (multihash: Uint8Array, bytes: Uint8Array) => void
}): Verify {
  return ({ kind, hash }, bytes) => {
    if (kind === 'dag-block') checks.dagBlock(hash, bytes)
    else checks.keccakKinds({ kind, hash }, bytes)
  }
}
