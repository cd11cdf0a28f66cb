// eth_mining []: false: Cairn does not mine.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethMining: RpcOperation<null> = {
  name: 'eth_mining',
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve(false)
  },
}
