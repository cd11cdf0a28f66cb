// eth_getRawTransactionByBlockNumberAndIndex [tag or number, index]: as by block hash; `0x` above the head. `pending` is the
// pending block, label `trusted`.
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, parseIndex, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { findResolved } from '../../bundles/proved-block.ts'
import { rawReply, rawTransactionAt } from '../../replies/one-transaction.ts'
import { isPending, readPendingTransactions } from '../../replies/pending-block.ts'

type Input = { readonly block: BlockParameter; readonly index: bigint }

export const ethGetRawTransactionByBlockNumberAndIndex: RpcMethod<Input> = {
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'One transaction of a block as it was signed; 0x for none.',
  params: [requiredParam('block', wire.blockNumber), requiredParam('index', wire.quantity)],
  result: wire.bytes,
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'number' } },
  cache: {
    block: ({ block }) => block,
    key: ({ index }) => `${index}`,
  },
  bundle: {
    as: 'eth_getRawTransactionByBlockHashAndIndex',
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
    if (isPending(block)) {
      const pending = yield* readPendingTransactions(call)
      return rawReply(pending.find((_, at) => BigInt(at) === index) ?? null)
    }
    const found = yield* findResolved(call, block)
    return found === null ? rawReply(null) : yield* rawTransactionAt(call, found, index)
  },
}
