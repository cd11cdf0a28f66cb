// txpool_status []: the number of transactions in the pool, ready ones and those after a nonce gap. Label `trusted`.
// Tested by test/api/pool-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { toQuantity } from '../../../base/hex.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const txpoolStatus: RpcMethod<null> = {
  name: 'txpool_status',
  summary: 'How many wait.',
  params: [],
  result: wire.object,
  units: 80,
  upstream: { serve: 'relay', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, { network, labels, signal, caller }) {
    const { pending, queued } = await executorOf(network, 'txpool_status').poolCounts(
      signal,
      caller,
    )
    labels.level('trusted')
    return { pending: toQuantity(pending), queued: toQuantity(queued) }
  },
}
