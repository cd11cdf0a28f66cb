// eth_getUncleCountByBlockNumber [tag or number]: the number of uncles in the block, proved; null for an unknown block.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { readUncleList } from '../../../chain/blocks.ts'
import { countUncles } from '../../../chain/block-object.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { findResolved } from '../../bundles/proved-block.ts'

export const ethGetUncleCountByBlockNumber: RpcMethod<BlockParameter> = {
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'How many uncles.',
  params: [requiredParam('block', wire.blockNumber)],
  result: wire.orNull(wire.quantity),
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'number' } },
  bundle: {
    as: 'eth_getUncleCountByBlockHash',
    block: (block) => block,
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [block] = parseArguments(params, [required(parseBlockNumber)])
    return block
  },
  *read(block, call) {
    const found = yield* findResolved(call, block)
    if (found === null) return null
    const list = yield* readUncleList(call.network, found)
    call.labels.level('proof')
    return toQuantity(countUncles(list))
  },
}
