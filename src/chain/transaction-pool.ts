// Pending transactions: of the embedded chain, or as upstreams report them. They cannot be proved; Cairn checks only
// that the bytes are the transaction of that hash.
// Tested by test/api/pool-started.test.ts
import type { ReadyTransactions } from './ready-transactions.ts'
import type { CallOwner } from './evm-executor.ts'
import type { Level } from './level.ts'

export interface TransactionPool {
  /** The verification level of its answers. */
  readonly level: Level
  /**
   * Accepts a signed transaction (types 0-4, type 3 in its network form) and resolves with its hash, computed here; if
   * each transaction makes a block, after that block is durable. Throws `pool_refused` with geth's texts, `no_space`.
   * If calls are queued here, accounts share the queue fairly (`owner`); without an owner it is the server's own call.
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
