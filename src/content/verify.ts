// Chooses the check by kind. What the checks do is codec's business; that each kind has one is decided here.
import type { Verify } from './ref.ts'

/**
 * `keccakKinds`: header, transactions, receipts, uncles, withdrawals, trie-node, code. `dagBlock`: the
 * multihash of an IPFS block. Both throw Fault `unverified`.
 */
export function createVerify(checks: {
  readonly keccakKinds: Verify
  readonly dagBlock: Verify
}): Verify {
  return (ref, bytes) => {
    if (ref.kind === 'dag-block') checks.dagBlock(ref, bytes)
    else checks.keccakKinds(ref, bytes)
  }
}
