// web3_clientVersion []: `Cairn/v<version>/...`, as given when the operations are made.
// Tested by src/rpc/methods/plain-answers.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'

export function createWeb3ClientVersion(clientVersion: string): RpcMethod<null> {
  return {
    name: 'web3_clientVersion',
    summary: 'Which software answers.',
    params: [],
    result: wire.text,
    units: 80,
    upstream: { serve: 'self', class: 'read', replyBytesMax: replyBytes.number },
    parse(params) {
      parseArguments(params, [])
      return null
    },
    run() {
      return Promise.resolve(clientVersion)
    },
  }
}
