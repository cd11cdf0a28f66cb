// Transactions on their way into a block: of the embedded chain, or as upstreams know them. Nobody can prove what
// waits; what can be checked is that the bytes are the transaction of that hash.
// Tested by test/faces/pool-started.test.ts
import type { ReadyTransactions } from './ready-transactions.ts'
import type { CallOwner } from './evm-executor.ts'
import type { Level } from './level.ts'

export interface TransactionPool {
  /** Whose word its answers are. */
  readonly level: Level
  /**
   * Takes a signed transaction (types 0-4, type 3 in its network form) and resolves with its hash, computed here;
   * where each makes a block, after that is durable. Throws `pool_refused` with geth's texts, `no_space`.
   * Where work waits here, accounts take turns (`owner`); without one it is the server's own.
   */
  send(raw: Uint8Array, signal: AbortSignal, owner?: CallOwner): Promise<Uint8Array>
  /** Transaction count of `address` including what waits. */
  pendingNonce(address: Uint8Array, signal: AbortSignal, owner?: CallOwner): Promise<bigint>
  /** Raw bytes (without sidecar) of a transaction that waits, or null. */
  pendingTransaction(
    hash: Uint8Array,
    signal: AbortSignal,
    owner?: CallOwner,
  ): Promise<Uint8Array | null>
  /** Transactions in the order in which they became ready for a block. */
  readonly arrivals: ReadyTransactions
}
