// rpc.discover []: the OpenRPC document of this table (OpenRPC 1.3, "service discovery method").
// Tested by src/rpc/open-rpc/open-rpc.test.ts
import type { RpcOperation } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

/** `document`: asked when it is called, as it lists this operation too. */
export function createRpcDiscover(document: () => unknown): RpcOperation<null> {
  return {
    name: 'rpc.discover',
    units: 5,
    parse(params) {
      parseArguments(params, [])
      return null
    },
    async run() {
      return document()
    },
  }
}
