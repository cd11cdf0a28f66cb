// eth_getUncleCountByBlockHash [blockHash]: the number of uncles in the block, proved; null for an unknown block.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { readUncleList } from '../../../chain/blocks.ts'
import { countUncles } from '../../../chain/block-object.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'

export const ethGetUncleCountByBlockHash: RpcMethod<Uint8Array> = {
  name: 'eth_getUncleCountByBlockHash',
  summary: 'How many uncles.',
  params: [requiredParam('blockHash', wire.blockHash)],
  result: wire.orNull(wire.quantity),
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'hash' } },
  bundle: {
    block: (hash) => ({ hash, requireCanonical: false }),
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [block] = parseArguments(params, [required(parseHash)])
    return block
  },
  *read(block, call) {
    const found = yield* findNamed(call, block)
    if (found === null) return null
    const list = yield* readUncleList(call.network, found)
    call.labels.level('proof')
    return toQuantity(countUncles(list))
  },
}
