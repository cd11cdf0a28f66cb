// net_version []: the network id as decimal text; equal to the chain id on every network served.
// Tested by src/rpc/methods/rpc-compat.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const netVersion: RpcOperation<null> = {
  name: 'net_version',
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run(_input, { network }) {
    return Promise.resolve(network.chainId.toString())
  },
}
