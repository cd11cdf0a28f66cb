// eth_mining []: false: Cairn does not mine.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethMining: RpcMethod<null> = {
  name: 'eth_mining',
  summary: 'Always false.',
  params: [],
  result: wire.flag,
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve(false)
  },
}
