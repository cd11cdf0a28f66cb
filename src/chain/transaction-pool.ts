// Pending transactions: of the embedded chain, or as upstreams report them. The pool of a read-only chain is empty and accepts
// none. They cannot be proved; Cairn checks only that the bytes have the requested hash.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import type { CallOwner } from './computation.ts'
import type { Level } from './level.ts'
import { Fault } from '../base/fault.ts'

export interface TransactionPool {
  /** The verification level of its answers. */
  readonly level: Level
  /**
   * Accepts a signed transaction (types 0-4, type 3 in its network form) and resolves with its locally computed hash. If each
   * transaction makes a block, it resolves when that block is durable. Throws `pool_refused` with geth's messages, `no_space`.
   * If the pool has a queue, accounts share it fairly (`owner`); without an owner it is the server's own call.
   */
  send(raw: Uint8Array, signal: AbortSignal, owner?: CallOwner): Promise<Uint8Array>
  /** Transaction count of `address`, including pending transactions. */
  pendingNonce(address: Uint8Array, signal: AbortSignal, owner?: CallOwner): Promise<bigint>
  /** Raw bytes (without sidecar) of a pending transaction, or null. */
  pendingTransaction(
    hash: Uint8Array,
    signal: AbortSignal,
    owner?: CallOwner,
  ): Promise<Uint8Array | null>
  /** Transactions in the order in which they became ready for a block. */
  readonly arrivals: ReadyTransactions
}

const refuse = () =>
  Promise.reject(new Fault('unverified', { detail: 'what waits for a block cannot be proved' }))

export const emptyPool: TransactionPool = {
  level: 'none',
  send: refuse,
  pendingNonce: refuse,
  pendingTransaction: () => Promise.resolve(null),
  arrivals: createReadyTransactions(0),
}

export interface ReadyTransactions {
  /** 16 random bytes: transaction numbers are valid only for the pool with this ID. */
  readonly id: Uint8Array
  /** The number of the next transaction. */
  readonly end: number
  /** Hashes (32 bytes) from number `from` on, at most `max`; null if some of them were dropped. */
  read(from: number, max: number): readonly Uint8Array[] | null
}

export type ReadyTransactionLog = ReadyTransactions & { add(hash: Uint8Array): void }

/** `capacity`: maximum number of hashes in memory. */
export function createReadyTransactions(capacity = 16_384): ReadyTransactionLog {
  const hashes: Uint8Array[] = []
  let end = 0
  return {
    // Web Crypto: browsers verify proofs with this module too.
    id: crypto.getRandomValues(new Uint8Array(16)),
    get end() {
      return end
    },
    add(hash) {
      hashes[end % capacity] = hash
      end += 1
    },
    read(from, max) {
      if (from < end - capacity) return null
      const count = Math.max(0, Math.min(max, end - from))
      return Array.from({ length: count }, (_, at) => hashes[(from + at) % capacity] as Uint8Array)
    },
  }
}
