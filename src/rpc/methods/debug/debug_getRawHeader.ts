// debug_getRawHeader [block]: the RLP whose keccak256 is the block hash; by tag, number or hash.
// Tested by src/rpc/methods/debug/debug-raw.test.ts
import { toHex } from '../../../base/hex.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

export const debugGetRawHeader: RpcMethod<BlockParameter> = {
  name: 'debug_getRawHeader',
  summary: 'RLP of a header.',
  params: [requiredParam('block', wire.block)],
  result: wire.bytes,
  units: 1000,
  upstream: {
    serve: 'prove',
    class: 'content',
    data: 'header',
    block: { at: 0, form: 'object' },
    replyBytesMax: replyBytes.header,
  },
  bundle: {
    block: (block) => block,
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [block] = parseArguments(params, [required(parseBlockParameter)])
    return block
  },
  *read(parameter, call) {
    const block = yield* resolveHeader(call, parameter)
    call.labels.level('proof')
    return toHex(block.bytes)
  },
}
