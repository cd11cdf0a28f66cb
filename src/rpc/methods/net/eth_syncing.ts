// eth_syncing []: false, because Cairn never serves the head of a chain that is still syncing.
// Tested by src/rpc/methods/rpc-compat.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethSyncing: RpcMethod<null> = {
  name: 'eth_syncing',
  summary: 'False: there is nothing to catch up with.',
  params: [],
  result: wire.anything,
  units: 5,
  upstream: { serve: 'self', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve(false)
  },
}
