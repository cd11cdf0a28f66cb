// The bytes of a transaction by its hash.
// Tested by src/rpc/methods/debug/debug-raw.test.ts
import { equalBytes } from '../../base/hex.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import { findLocated } from '../../chain/located.ts'
import type { RpcCall } from '../operation.ts'

/**
 * The entry in the proved list of its block (label `proof`), or the pending transaction of the pool, type 3 without its sidecar
 * (label of the pool). Null, label `none`, for a transaction that no source knows. Throws as `findLocated`.
 */
export async function findRawTransaction(
  { network, labels, signal, caller }: RpcCall,
  hash: Uint8Array,
): Promise<Uint8Array | null> {
  const located = await findLocated(network, hash, signal)
  if (located !== null) {
    const { block, raw } = located
    labels.block({ network: network.name, hash: block.hash, number: block.header.number })
    labels.level('proof')
    return raw
  }
  const raw = await network.pool.pendingTransaction(hash, signal, caller)
  const isIt = raw !== null && equalBytes(transactionHash(raw), hash)
  labels.level(isIt ? network.pool.level : 'none')
  return isIt ? raw : null
}
