// eth_accounts []: addresses whose keys are public on this network (development chains); else empty.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { toHex } from '../../../base/hex.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const ethAccounts: RpcMethod<null> = {
  name: 'eth_accounts',
  summary: 'The development accounts of the embedded chain; else none.',
  params: [],
  result: wire.list(wire.address),
  units: 80,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run(_input, { network }) {
    return Promise.resolve((network.executor?.accounts ?? []).map(toHex))
  },
}
