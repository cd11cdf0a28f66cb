// Decodes transactions of a proved list: raw entry -> transaction with its hash and recovered sender.
import { Fault } from '../base/fault.ts'
import {
  type AnyTransaction,
  decodeAnyTransaction,
  isSystem,
} from '../codec/ethereum/system-transaction.ts'
import { transactionHash, UnsupportedTransaction } from '../codec/ethereum/transaction.ts'
import type { ProvedHeader } from './blocks.ts'
import type { FindSender } from './sender-cache.ts'
import type { SignedTransaction, TransactionLocation } from './transaction-object.ts'

/** `raw`: an entry of a block's list, or of the pool without its sidecar. Throws like `decodeReadable`. */
export function readTransaction(raw: Uint8Array, findSender: FindSender): SignedTransaction {
  const hash = transactionHash(raw)
  const transaction = decodeReadable(raw)
  const from = isSystem(transaction) ? transaction.from : findSender(transaction, hash)
  return { transaction, hash, from }
}

/** A deposit with the nonce of its sender, which only its receipt contains. `version`: null before Canyon. */
export function withDepositNonce(
  signed: SignedTransaction,
  nonce: bigint,
  version: bigint | null,
): SignedTransaction {
  const { transaction } = signed
  if (!isSystem(transaction)) return signed
  const members = new Map(transaction.members)
  if (version !== null) members.set('depositReceiptVersion', version)
  return { ...signed, transaction: { ...transaction, nonce, members } }
}

/** Throws `unprovable` for a type whose bytes can be stored and proved but not decoded. */
export function decodeReadable(raw: Uint8Array): AnyTransaction {
  try {
    return decodeAnyTransaction(raw)
  } catch (thrown) {
    if (!(thrown instanceof UnsupportedTransaction)) throw thrown
    throw new Fault('unprovable', { detail: thrown.message, cause: thrown })
  }
}

export function locationIn(block: ProvedHeader, index: number): TransactionLocation {
  return {
    blockHash: block.hash,
    blockNumber: block.header.number,
    blockTimestamp: block.header.timestamp,
    baseFeePerGas: block.header.baseFeePerGas,
    index,
  }
}
