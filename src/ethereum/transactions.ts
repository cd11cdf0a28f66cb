// Transactions out of a proved list: raw entry -> decoded, with its hash and recovered sender.
import { Fault } from '../base/fault.ts'
import { decodeTransaction, transactionHash, UnsupportedTransaction } from '../codec/transaction.ts'
import type { ProvedHeader } from './blocks.ts'
import type { FindSender } from './sender-cache.ts'
import type { SignedTransaction, TransactionPlace } from './transaction-object.ts'

/**
 * `raw`: an entry of a block's list, or of the pool without its sidecar. Throws `unprovable` for a type we
 * can keep and prove but not read.
 */
export function readTransaction(raw: Uint8Array, findSender: FindSender): SignedTransaction {
  const hash = transactionHash(raw)
  try {
    const transaction = decodeTransaction(raw)
    return { transaction, hash, from: findSender(transaction, hash) }
  } catch (thrown) {
    if (!(thrown instanceof UnsupportedTransaction)) throw thrown
    throw new Fault('unprovable', { detail: thrown.message, cause: thrown })
  }
}

export function placeIn(block: ProvedHeader, index: number): TransactionPlace {
  return {
    blockHash: block.hash,
    blockNumber: block.header.number,
    blockTimestamp: block.header.timestamp,
    baseFeePerGas: block.header.baseFeePerGas,
    index,
  }
}
