// The pool of a read-only chain: it has no pending transactions and accepts none.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import { Fault } from '../base/fault.ts'
import { createReadyTransactions } from './ready-transactions.ts'
import type { TransactionPool } from './transaction-pool.ts'

const refuse = () =>
  Promise.reject(new Fault('unverified', { detail: 'what waits for a block cannot be proved' }))

export const emptyPool: TransactionPool = {
  level: 'none',
  send: refuse,
  pendingNonce: refuse,
  pendingTransaction: () => Promise.resolve(null),
  arrivals: createReadyTransactions(0),
}
