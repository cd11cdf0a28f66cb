// eth_getBlockTransactionCountByNumber [tag or number]: the number of transactions in the block, proved; null for an unknown block.
// `pending` counts those of the pending block, label `trusted`.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { countEntries } from '../../../chain/list-entries.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { isPending, readPendingTransactions } from '../../replies/pending-block.ts'
import { findResolved } from '../../bundles/proved-block.ts'

export const ethGetBlockTransactionCountByNumber: RpcMethod<BlockParameter> = {
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'How many transactions a block has.',
  params: [requiredParam('block', wire.blockNumber)],
  result: wire.orNull(wire.quantity),
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'number' } },
  bundle: {
    as: 'eth_getBlockTransactionCountByHash',
    block: (block) => block,
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [block] = parseArguments(params, [required(parseBlockNumber)])
    return block
  },
  *read(block, call) {
    if (isPending(block)) return toQuantity((yield* readPendingTransactions(call)).length)
    const found = yield* findResolved(call, block)
    if (found === null) return null
    const count = yield* countEntries(call.network, found, 'transactions')
    call.labels.level('proof')
    return toQuantity(count)
  },
}
