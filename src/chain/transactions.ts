// Decodes transactions of a proved list: raw entry -> transaction with its hash and recovered sender.
import { Fault } from '../base/fault.ts'
import {
  decodeTransaction,
  type Transaction,
  transactionHash,
  UnsupportedTransaction,
} from '../codec/ethereum/transaction.ts'
import type { ProvedHeader } from './blocks.ts'
import type { FindSender } from './sender-cache.ts'
import type { SignedTransaction, TransactionPlace } from './transaction-object.ts'

/** `raw`: an entry of a block's list, or of the pool without its sidecar. Throws like `decodeReadable`. */
export function readTransaction(raw: Uint8Array, findSender: FindSender): SignedTransaction {
  const hash = transactionHash(raw)
  const transaction = decodeReadable(raw)
  return { transaction, hash, from: findSender(transaction, hash) }
}

/** Throws `unprovable` for a type whose bytes can be stored and proved but not decoded. */
export function decodeReadable(raw: Uint8Array): Transaction {
  try {
    return decodeTransaction(raw)
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
