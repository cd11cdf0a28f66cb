// debug_getRawBlock [block]: RLP [header, transactions, uncles, withdrawals?], every part proved; by tag,
// number or hash.
// Tested by src/gateway/operations/rpc/debug/debug-raw.test.ts
import { toHex } from '../../../../base/hex.ts'
import { joinBlock } from '../../../../codec/block.ts'
import { readBlockLists } from '../../../../ethereum/blocks.ts'
import type { BlockParameter, RpcOperation } from '../../../operation.ts'
import { parseArguments, required } from '../../../params/arguments.ts'
import { parseBlockParameter } from '../../../params/block-parameter.ts'
import { resolveHeader } from '../../../proved-block.ts'
import { completeRead } from '../../../../ethereum/read.ts'

export const debugGetRawBlock: RpcOperation<BlockParameter> = {
  name: 'debug_getRawBlock',
  units: 1000,
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
