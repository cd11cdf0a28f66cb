// web3_clientVersion []: `Cairn/v<version>/...`, set when the operations are created. For a key with `devMethods` the name begins
// like hardhat's, because hardhat's network helpers refuse chains with other names.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'

/** For programs that detect hardhat by its name: begins like hardhat's and names Cairn. */
export function devClientVersion(clientVersion: string): string {
  return `HardhatNetwork-compatible/${clientVersion}`
}

export function createWeb3ClientVersion(clientVersion: string): RpcMethod<null> {
  return {
    name: 'web3_clientVersion',
    summary: 'Name and version of the server.',
    params: [],
    result: wire.text,
    units: 80,
    upstream: { serve: 'self', class: 'read', replyBytesMax: replyBytes.number },
    parse(params) {
      parseArguments(params, [])
      return null
    },
    run(_input, { network, caller }) {
      const isDevChain = network.executor !== null && caller.settings.devMethods
      return Promise.resolve(isDevChain ? devClientVersion(clientVersion) : clientVersion)
    },
  }
}
