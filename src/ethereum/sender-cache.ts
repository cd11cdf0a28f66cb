// Who signed a transaction, remembered by the transaction's hash: recovering costs a curve operation.
import { fromHex, toBareHex, toLatin1 } from '../base/hex.ts'
import { recoverSender } from '../codec/sender.ts'
import type { Transaction } from '../codec/transaction.ts'

/**
 * The sender of `transaction`, 20 bytes. `hash`: keccak256 of the raw entry the transaction was decoded
 * from. Throws when the signature gives no public key.
 */
export type FindSender = (transaction: Transaction, hash: Uint8Array) => Uint8Array

/** A memory of at most `entriesMax` senders; the oldest entry leaves first. */
export function createSenderCache(entriesMax: number): FindSender {
  const senders = new Map<string, string>()
  return (transaction, hash) => {
    const key = toLatin1(hash)
    const known = senders.get(key)
    if (known !== undefined) return fromHex(known)
    const sender = recoverSender(transaction)
    const [oldest] = senders.size >= entriesMax ? senders.keys() : []
    if (oldest !== undefined) senders.delete(oldest)
    senders.set(key, toBareHex(sender))
    return sender
  }
}
