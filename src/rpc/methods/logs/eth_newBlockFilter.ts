// eth_newBlockFilter []: an ID with which eth_getFilterChanges returns the hashes of later blocks.
// Tested by test/api/filters-started.test.ts
import type { Filters } from '../../filters/filters.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export function createEthNewBlockFilter(filters: Filters): RpcMethod<null> {
  return {
    name: 'eth_newBlockFilter',
    summary: 'A filter of new blocks.',
    params: [],
    result: wire.filterId,
    units: 80,
    upstream: { serve: 'self', class: 'sticky' },
    parse(params) {
      parseArguments(params, [])
      return null
    },
    async run(_input, call) {
      return await filters.add(call, { kind: 'blocks' })
    },
  }
}
