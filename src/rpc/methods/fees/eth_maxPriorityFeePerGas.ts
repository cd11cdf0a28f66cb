// eth_maxPriorityFeePerGas []: a tip that recent blocks would have accepted, computed from proved blocks.
// Tested by src/rpc/methods/fees/fees.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { feeRulesOf } from '../../../chain/network.ts'
import { suggestTip } from '../../../chain/suggest-tip.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

export const ethMaxPriorityFeePerGas: RpcMethod<null> = {
  name: 'eth_maxPriorityFeePerGas',
  summary: 'A tip that is likely to be taken.',
  params: [],
  result: wire.quantity,
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'fees',
    block: null,
    replyBytesMax: replyBytes.number,
  },
  cache: { block: () => latestBlock, key: () => '' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, call) {
    const rulesAt = feeRulesOf(call.network)
    const latest = await completeRead(resolveHeader(call, latestBlock), call.signal)
    await rulesAt(latest.header.timestamp)
    const tip = await suggestTip(call.network, latest, call.signal)
    call.labels.level('proof')
    return toQuantity(tip)
  },
}
