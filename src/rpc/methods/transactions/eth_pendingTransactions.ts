// eth_pendingTransactions []: the waiting transactions of accounts whose keys the node holds. Cairn holds no keys, so: none.
// txpool_content has the transactions of clients.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethPendingTransactions: RpcOperation<null> = {
  name: 'eth_pendingTransactions',
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run: () => Promise.resolve([]),
}
