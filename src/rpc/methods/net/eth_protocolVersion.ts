// eth_protocolVersion []: 68, the wire protocol (eth/68) of current nodes; Cairn itself does not implement it.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethProtocolVersion: RpcMethod<null> = {
  name: 'eth_protocolVersion',
  summary: 'The version of the wire protocol.',
  params: [],
  result: wire.anything,
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve('0x44')
  },
}
