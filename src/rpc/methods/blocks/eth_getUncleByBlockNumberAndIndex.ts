// eth_getUncleByBlockNumberAndIndex [tag or number, index]: the uncle's header, proved; null past the end (proved too) and for
// an unknown block.
// Tested by src/rpc/methods/blocks/uncles.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { renderUncle } from '../../../chain/block-object.ts'
import { readUncleList } from '../../../chain/blocks.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, parseIndex, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { findResolved } from '../../bundles/proved-block.ts'

type Input = { readonly block: BlockParameter; readonly index: bigint }

export const ethGetUncleByBlockNumberAndIndex: RpcMethod<Input> = {
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'An uncle of a block.',
  params: [requiredParam('block', wire.blockNumber), requiredParam('index', wire.quantity)],
  result: wire.orNull(wire.object),
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'number' } },
  bundle: {
    as: 'eth_getUncleByBlockHashAndIndex',
    block: ({ block }) => block,
    params: ({ index }, blockHash) => [blockHash, toQuantity(index)],
  },
  parse(params) {
    const [block, index] = parseArguments(params, [
      required(parseBlockNumber),
      required(parseIndex),
    ])
    return { block, index }
  },
  *read({ block, index }, call) {
    const found = yield* findResolved(call, block)
    if (found === null) return null
    const uncles = yield* readUncleList(call.network, found)
    call.labels.level('proof')
    return renderUncle(uncles, index)
  },
}
