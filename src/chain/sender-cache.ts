// Caches the senders of transactions by transaction hash, because a recovery costs a curve operation.
import { fromHex, toBareHex, toLatin1 } from '../base/hex.ts'
import { recoverSender } from '../codec/ethereum/sender.ts'
import type { Transaction } from '../codec/ethereum/transaction.ts'

/**
 * The sender of `transaction`, 20 bytes. `hash`: keccak256 of the transaction's raw entry. Throws if the signature
 * yields no public key.
 */
export type FindSender = (transaction: Transaction, hash: Uint8Array) => Uint8Array

export type SenderCache = {
  readonly find: FindSender
  /** `sender`: recovered elsewhere in this process for the transaction with `hash`. */
  note(hash: Uint8Array, sender: Uint8Array): void
}

/** A cache of at most `entriesMax` senders; the oldest entry is evicted first. */
export function createSenderCache(entriesMax: number): SenderCache {
  const senders = new Map<string, string>()

  function note(hash: Uint8Array, sender: Uint8Array): void {
    const [oldest] = senders.size >= entriesMax ? senders.keys() : []
    if (oldest !== undefined) senders.delete(oldest)
    senders.set(toLatin1(hash), toBareHex(sender))
  }

  return {
    note,
    find(transaction, hash) {
      const cached = senders.get(toLatin1(hash))
      if (cached !== undefined) return fromHex(cached)
      const sender = recoverSender(transaction)
      note(hash, sender)
      return sender
    },
  }
}
