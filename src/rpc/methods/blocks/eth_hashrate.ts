// eth_hashrate []: zero: Cairn does not mine.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethHashrate: RpcMethod<null> = {
  name: 'eth_hashrate',
  summary: 'Always 0.',
  params: [],
  result: wire.quantity,
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve('0x0')
  },
}
