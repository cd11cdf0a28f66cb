// Sends a signed transaction to the pool of a network.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { Fault } from '../../base/fault.ts'
import type { RpcCall } from '../operation.ts'

/** Fits a type-3 transaction with nine blobs, their commitments and cell proofs. */
const transactionBytesMax = 2 * 1024 * 1024

/** Returns the hash of the transaction, 32 bytes. Throws `pool_refused`, and as `TransactionPool.send`. */
export async function sendTransaction(raw: Uint8Array, call: RpcCall): Promise<Uint8Array> {
  if (raw.length > transactionBytesMax) {
    throw new Fault('pool_refused', {
      detail: `oversized data: transaction size ${raw.length}, limit ${transactionBytesMax}`,
    })
  }
  return await call.network.pool.send(raw, call.signal, call.caller)
}
