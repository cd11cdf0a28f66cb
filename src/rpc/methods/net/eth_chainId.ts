// eth_chainId []: the network's chain id as QUANTITY, from the settings.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethChainId: RpcMethod<null> = {
  name: 'eth_chainId',
  summary: 'The chain id (EIP-155).',
  params: [],
  result: wire.quantity,
  units: 5,
  upstream: { serve: 'self', class: 'read', replyBytesMax: replyBytes.number },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run(_input, { network }) {
    return Promise.resolve(toQuantity(network.chainId))
  },
}
