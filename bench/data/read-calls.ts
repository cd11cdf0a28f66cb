// The two measured reads: a storage slot by tag, a transaction by block hash and index.
import { rpcCall, type Call } from '../load/plan.ts'
import { contract, type Slot } from './genesis.ts'
import type { TransactionPosition } from './transfers.ts'

export const storage = 'eth_getStorageAt'
export const transaction = 'eth_getTransactionByBlockHashAndIndex'

export function storageCalls(slots: readonly Slot[]): readonly Call[] {
  return slots.map(({ slot, value }) =>
    rpcCall(storage, [contract, slot, 'latest'], JSON.stringify(value), value),
  )
}

/** A reply is checked by the transaction hash. */
export function transactionCalls(positions: readonly TransactionPosition[]): readonly Call[] {
  return positions.map(({ blockHash, index, transactionHash }) =>
    rpcCall(transaction, [blockHash, `0x${index.toString(16)}`], '', transactionHash),
  )
}
