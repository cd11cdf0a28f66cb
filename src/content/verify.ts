// Verification of every kind of content: IPFS blocks by their multihash, all other kinds by keccak256.
import { verifyDagBlock } from '../codec/ipld/verify-dag-block.ts'
import { verifyKeccakKinds } from '../codec/hash/verify-keccak.ts'
import type { Verify } from './ref.ts'

export const verify: Verify = ({ kind, hash }, bytes) => {
  if (kind === 'dag-block') verifyDagBlock(hash, bytes)
  else verifyKeccakKinds({ kind, hash }, bytes)
}
