// net_peerCount []: zero: this server joins no Ethereum peer network.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const netPeerCount: RpcMethod<null> = {
  name: 'net_peerCount',
  summary: 'How many peers.',
  params: [],
  result: wire.quantity,
  units: 80,
  upstream: { serve: 'self', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve('0x0')
  },
}
