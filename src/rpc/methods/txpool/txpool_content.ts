// txpool_content []: every transaction that waits here, whole, by sender and nonce. Label `trusted`.
// Tested by test/faces/pool-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { renderTransaction } from '../../../chain/transaction-object.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { poolReply } from '../../replies/pool-reply.ts'

export const txpoolContent: RpcOperation<null> = {
  name: 'txpool_content',
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, { network, labels, signal, caller }) {
    const content = await executorOf(network, 'txpool_content').poolContent(null, signal, caller)
    labels.level('trusted')
    return poolReply(content, (waiting) => renderTransaction(waiting, null))
  },
}
