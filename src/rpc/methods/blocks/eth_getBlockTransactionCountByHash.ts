// eth_getBlockTransactionCountByHash [blockHash]: the number of transactions in the block, proved; null for an unknown block.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { countEntries } from '../../../chain/list-entries.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'

export const ethGetBlockTransactionCountByHash: RpcMethod<Uint8Array> = {
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'How many transactions a block has.',
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
    const count = yield* countEntries(call.network, found, 'transactions')
    call.labels.level('proof')
    return toQuantity(count)
  },
}
