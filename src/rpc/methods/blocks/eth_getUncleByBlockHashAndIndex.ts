// eth_getUncleByBlockHashAndIndex [blockHash, index]: the uncle's header, proved; null past the end (proved too) and for
// an unknown block.
// Tested by src/rpc/methods/blocks/uncles.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { renderUncle } from '../../../chain/block-object.ts'
import { readUncleList } from '../../../chain/blocks.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, parseIndex, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'

type Input = { readonly block: Uint8Array; readonly index: bigint }

export const ethGetUncleByBlockHashAndIndex: RpcMethod<Input> = {
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a block.',
  params: [requiredParam('blockHash', wire.blockHash), requiredParam('index', wire.quantity)],
  result: wire.orNull(wire.object),
  units: 150,
  upstream: { serve: 'prove', class: 'content', data: 'block', block: { at: 0, form: 'hash' } },
  bundle: {
    block: ({ block }) => ({ hash: block, requireCanonical: false }),
    params: ({ index }, blockHash) => [blockHash, toQuantity(index)],
  },
  parse(params) {
    const [block, index] = parseArguments(params, [required(parseHash), required(parseIndex)])
    return { block, index }
  },
  *read({ block, index }, call) {
    const found = yield* findNamed(call, block)
    if (found === null) return null
    const uncles = yield* readUncleList(call.network, found)
    call.labels.level('proof')
    return renderUncle(uncles, index)
  },
}
