// net_peerCount []: zero: this server joins no Ethereum peer network.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const netPeerCount: RpcOperation<null> = {
  name: 'net_peerCount',
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve('0x0')
  },
}
