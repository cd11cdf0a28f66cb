// eth_pendingTransactions []: pending transactions of accounts for which the server sends. With a key with `devMethods` these are
// all of the pool, as in hardhat; otherwise none, because Cairn holds no keys. txpool_content returns the transactions of clients.
// Tested by src/rpc/methods/plain-answers.test.ts
import { renderTransaction } from '../../../chain/transaction-object.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { signedTransaction } from '../../replies/pool-reply.ts'

export const ethPendingTransactions: RpcMethod<null> = {
  name: 'eth_pendingTransactions',
  summary: 'What waits on the embedded chain, for keys that may change it; else none.',
  params: [],
  result: wire.list(wire.transaction),
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, { network, signal, caller, labels }) {
    if (network.executor === null || !caller.settings.devMethods) return []
    const { pending, queued } = await network.executor.poolContent(null, signal, caller)
    labels.level('trusted')
    return [...pending, ...queued].map((transaction) =>
      renderTransaction(signedTransaction(transaction), null),
    )
  },
}
