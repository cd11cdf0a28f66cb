// eth_getBlockByHash [blockHash, full]: the block, orphans included; null for an unknown hash.
// Tested by src/rpc/methods/rpc-compat.test.ts
import type { FindSender } from '../../../chain/sender-cache.ts'
import { blockReply } from '../../replies/block-reply.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseFlag, parseHash, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = { readonly blockHash: Uint8Array; readonly full: boolean }

export function createEthGetBlockByHash(findSender: FindSender): RpcMethod<Input> {
  return {
    name: 'eth_getBlockByHash',
    summary: 'A block.',
    params: [
      requiredParam('blockHash', wire.blockHash),
      requiredParam('fullTransactions', wire.flag),
    ],
    result: wire.orNull(wire.blockObject),
    units: 80,
    upstream: { serve: 'prove', class: 'content', data: 'block', block: { at: 0, form: 'hash' } },
    cache: {
      block: ({ blockHash }) => ({ hash: blockHash, requireCanonical: false }),
      key: ({ full }) => `${full}`,
    },
    bundle: {
      block: ({ blockHash }) => ({ hash: blockHash, requireCanonical: false }),
      params: ({ full }, blockHash) => [blockHash, full],
    },
    parse(params) {
      const [blockHash, full] = parseArguments(params, [required(parseHash), required(parseFlag)])
      return { blockHash, full }
    },
    async run({ blockHash, full }, call) {
      const block = await completeRead(findNamed(call, blockHash), call.signal)
      return block === null
        ? null
        : await completeRead(blockReply(call, block, full, findSender), call.signal)
    },
  }
}
