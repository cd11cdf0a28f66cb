// net_version []: the network ID as decimal text; equal to the chain ID on every served network.
// Tested by src/rpc/methods/rpc-compat.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'

export const netVersion: RpcMethod<null> = {
  name: 'net_version',
  summary: 'The chain id in decimal.',
  params: [],
  result: wire.text,
  units: 5,
  upstream: { serve: 'self', class: 'read', replyBytesMax: replyBytes.number },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run(_input, { network }) {
    return Promise.resolve(network.chainId.toString())
  },
}
