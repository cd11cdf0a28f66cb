// eth_blockNumber []: the number in the header of the block that `latest` names in this request.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'

export const ethBlockNumber: RpcMethod<null> = {
  name: 'eth_blockNumber',
  summary: 'Number of the newest block.',
  params: [],
  result: wire.quantity,
  units: 80,
  upstream: { serve: 'self', class: 'read', replyBytesMax: replyBytes.number },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  *read(_input, call) {
    const { number } = yield* call.resolve(latestBlock)
    call.labels.level('proof')
    return toQuantity(number)
  },
}
