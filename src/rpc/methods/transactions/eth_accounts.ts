// eth_accounts []: addresses whose keys are public on this network (development chains); else empty.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { toHex } from '../../../base/hex.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethAccounts: RpcOperation<null> = {
  name: 'eth_accounts',
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run(_input, { network }) {
    return Promise.resolve((network.executor?.accounts ?? []).map(toHex))
  },
}
