// net_listening []: true, because the request arrived over the network.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const netListening: RpcMethod<null> = {
  name: 'net_listening',
  summary: 'Always true.',
  params: [],
  result: wire.flag,
  units: 5,
  upstream: { serve: 'self', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve(true)
  },
}
