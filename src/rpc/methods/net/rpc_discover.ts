// rpc.discover []: the OpenRPC document of this table (OpenRPC 1.3, "service discovery method").
// Tested by src/rpc/open-rpc/open-rpc.test.ts
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

/** `document`: called at each request, because the document lists this method too. */
export function createRpcDiscover(document: () => unknown): RpcMethod<null> {
  return {
    name: 'rpc.discover',
    summary: 'This document (OpenRPC).',
    params: [],
    result: wire.object,
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
