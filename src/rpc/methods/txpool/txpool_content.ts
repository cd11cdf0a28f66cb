// txpool_content []: every transaction in the pool, in full, by sender and nonce. Label `trusted`.
// Tested by test/api/pool-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { renderTransaction } from '../../../chain/transaction-object.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { poolReply } from '../../replies/pool-reply.ts'

export const txpoolContent: RpcMethod<null> = {
  name: 'txpool_content',
  summary: 'All that waits for a block.',
  params: [],
  result: wire.object,
  units: 80,
  upstream: { serve: 'relay', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, { network, labels, signal, caller }) {
    const content = await executorOf(network, 'txpool_content').poolContent(null, signal, caller)
    labels.level('trusted')
    return poolReply(content, (transaction) => renderTransaction(transaction, null))
  },
}
