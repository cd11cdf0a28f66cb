// eth_getBlockReceipts [block]: all receipts of a block, proved; null for an unknown block.
// Tested by src/rpc/methods/rpc-compat.test.ts
import type { FindSender } from '../../../chain/sender-cache.ts'
import { receiptReplies } from '../../replies/block-receipts.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { findResolved } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

export function createEthGetBlockReceipts(findSender: FindSender): RpcMethod<BlockParameter> {
  return {
    name: 'eth_getBlockReceipts',
    summary: 'Receipts of a block.',
    params: [requiredParam('block', wire.block)],
    result: wire.orNull(wire.list(wire.receipt)),
    units: 1000,
    upstream: {
      serve: 'prove',
      class: 'content',
      data: 'block',
      shows: 'receipts',
      block: { at: 0, form: 'object' },
    },
    cache: {
      block: (block) => block,
      key: () => '',
    },
    bundle: {
      block: (block) => block,
      params: (_, blockHash) => [blockHash],
    },
    parse(params) {
      const [block] = parseArguments(params, [required(parseBlockParameter)])
      return block
    },
    async run(parameter, call) {
      const block = await completeRead(findResolved(call, parameter), call.signal)
      return block === null ? null : await receiptReplies(call, block, findSender)
    },
  }
}
