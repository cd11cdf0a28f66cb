// debug_getRawReceipts [block]: the receipts as the receipts root commits to them; by tag, number or hash.
// Tested by src/rpc/methods/debug/debug-raw.test.ts
import { toHex } from '../../../base/hex.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import { readReceiptList } from '../../../chain/blocks.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

export const debugGetRawReceipts: RpcMethod<BlockParameter> = {
  name: 'debug_getRawReceipts',
  summary: 'Receipts of a block as they are hashed.',
  params: [requiredParam('block', wire.block)],
  result: wire.list(wire.bytes),
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
    const list = await completeRead(readReceiptList(call.network, block), call.signal)
    call.labels.level('proof')
    return decodeEntries(list).map(toHex)
  },
}
