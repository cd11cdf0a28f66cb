// eth_getBlockByNumber [tag or number, full]: the block; null above the head. `pending` is the block that the pool would produce
// now, label `trusted`.
// Tested by src/rpc/methods/rpc-compat.test.ts
import type { FindSender } from '../../../chain/sender-cache.ts'
import { blockReply } from '../../replies/block-reply.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, parseFlag, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { isPending, pendingBlockReply } from '../../replies/pending-block.ts'
import { findResolved } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = { readonly block: BlockParameter; readonly full: boolean }

export function createEthGetBlockByNumber(findSender: FindSender): RpcMethod<Input> {
  return {
    name: 'eth_getBlockByNumber',
    summary: 'A block.',
    params: [
      requiredParam('block', wire.blockNumber),
      requiredParam('fullTransactions', wire.flag),
    ],
    result: wire.orNull(wire.blockObject),
    units: 80,
    upstream: { serve: 'prove', class: 'content', data: 'block', block: { at: 0, form: 'number' } },
    bundle: {
      as: 'eth_getBlockByHash',
      block: ({ block }) => block,
      params: ({ full }, blockHash) => [blockHash, full],
    },
    parse(params) {
      const [block, full] = parseArguments(params, [
        required(parseBlockNumber),
        required(parseFlag),
      ])
      return { block, full }
    },
    async run({ block, full }, call) {
      if (isPending(block))
        return await completeRead(pendingBlockReply(call, full, findSender), call.signal)
      const found = await completeRead(findResolved(call, block), call.signal)
      return found === null
        ? null
        : await completeRead(blockReply(call, found, full, findSender), call.signal)
    },
  }
}
