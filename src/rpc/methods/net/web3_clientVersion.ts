// web3_clientVersion []: `Cairn/v<version>/...`, as given when the operations are made.
// Tested by src/rpc/methods/plain-answers.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export function createWeb3ClientVersion(clientVersion: string): RpcOperation<null> {
  return {
    name: 'web3_clientVersion',
    units: 80,
    parse(params) {
      parseArguments(params, [])
      return null
    },
    run() {
      return Promise.resolve(clientVersion)
    },
  }
}
