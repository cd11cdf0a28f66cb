// eth_capabilities []: the newest block, and the first block with each kind of data (execution-apis). The embedded chain has all
// data from block 0 on and deletes none.
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { toHex, toQuantity } from '../../../base/hex.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'

/** The members that execution-apis names. */
const resources = ['state', 'tx', 'logs', 'receipts', 'blocks', 'stateproofs'] as const

export const ethCapabilities: RpcMethod<null> = {
  name: 'eth_capabilities',
  summary: 'The newest block, and since which block each kind of data is there.',
  params: [],
  result: wire.object,
  units: 80,
  upstream: { serve: 'relay', class: 'read', replyBytesMax: replyBytes.number },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  *read(_input, call) {
    const { number, hash } = yield* call.resolve(latestBlock)
    call.labels.level('trusted')
    const complete = { disabled: false, oldestBlock: '0x0' }
    return {
      head: { number: toQuantity(number), hash: toHex(hash) },
      ...Object.fromEntries(resources.map((name) => [name, complete])),
    }
  },
}
