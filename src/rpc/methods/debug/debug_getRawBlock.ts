// debug_getRawBlock [block]: RLP [header, transactions, uncles, withdrawals?], every part proved; by tag,
// number or hash.
// Tested by src/rpc/methods/debug/debug-raw.test.ts
import { toHex } from '../../../base/hex.ts'
import { joinBlock } from '../../../codec/ethereum/block.ts'
import { readBlockLists } from '../../../chain/blocks.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

export const debugGetRawBlock: RpcMethod<BlockParameter> = {
  name: 'debug_getRawBlock',
  summary: 'RLP of a block.',
  params: [requiredParam('block', wire.block)],
  result: wire.bytes,
  units: 1000,
  upstream: { serve: 'prove', class: 'content', data: 'block', block: { at: 0, form: 'object' } },
  bundle: {
    block: (block) => block,
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [block] = parseArguments(params, [required(parseBlockParameter)])
    return block
  },
  async run(parameter, call) {
    const block = await completeRead(resolveHeader(call, parameter), call.signal)
    const { network, labels, signal } = call
    const lists = await completeRead(readBlockLists(network, block), signal)
    labels.level('proof')
    return toHex(joinBlock({ header: block.bytes, ...lists }))
  },
}
