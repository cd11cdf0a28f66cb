// eth_pendingTransactions []: the waiting transactions of accounts whose keys the node holds. Cairn holds no keys, so: none.
// txpool_content has the transactions of clients.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethPendingTransactions: RpcMethod<null> = {
  name: 'eth_pendingTransactions',
  summary: 'Always none: what waits of accounts whose keys the server holds.',
  params: [],
  result: wire.list(wire.transaction),
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run: () => Promise.resolve([]),
}
