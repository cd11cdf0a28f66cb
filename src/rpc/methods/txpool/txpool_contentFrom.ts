// txpool_contentFrom [address]: the transactions of one sender in the pool, by nonce. Label `trusted`.
// Tested by test/api/pool-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { renderTransaction } from '../../../chain/transaction-object.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseAddress, parseArguments, required } from '../../params/arguments.ts'
import { senderReply } from '../../replies/pool-reply.ts'

export const txpoolContentFrom: RpcMethod<Uint8Array> = {
  name: 'txpool_contentFrom',
  summary: 'What an account has waiting.',
  params: [requiredParam('address', wire.address)],
  result: wire.object,
  units: 80,
  upstream: { serve: 'relay', class: 'read' },
  parse(params) {
    const [address] = parseArguments(params, [required(parseAddress)])
    return address
  },
  async run(address, { network, labels, signal, caller }) {
    const content = await executorOf(network, 'txpool_contentFrom').poolContent(
      address,
      signal,
      caller,
    )
    labels.level('trusted')
    return senderReply(content, (transaction) => renderTransaction(transaction, null))
  },
}
