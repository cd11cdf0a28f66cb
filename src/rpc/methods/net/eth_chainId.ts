// eth_chainId []: the network's chain id as QUANTITY, from the settings.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethChainId: RpcOperation<null> = {
  name: 'eth_chainId',
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run(_input, { network }) {
    return Promise.resolve(toQuantity(network.chainId))
  },
}
