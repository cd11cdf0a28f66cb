// eth_syncing []: false, as the head served is never one that is still being caught up with.
// Tested by src/rpc/methods/rpc-compat.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethSyncing: RpcOperation<null> = {
  name: 'eth_syncing',
  units: 5,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run() {
    return Promise.resolve(false)
  },
}
