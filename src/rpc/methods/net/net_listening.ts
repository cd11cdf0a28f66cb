// net_listening []: true, as this answer came over the network.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const netListening: RpcOperation<null> = {
  name: 'net_listening',
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve(true)
  },
}
