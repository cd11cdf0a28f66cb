// eth_uninstallFilter [id]: deletes the filter; false if it does not exist.
// Tested by test/api/filters-started.test.ts
import type { Filters } from '../../filters/filters.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseFilterId, required } from '../../params/arguments.ts'

export function createEthUninstallFilter(filters: Filters): RpcMethod<string> {
  return {
    name: 'eth_uninstallFilter',
    summary: 'Ends a filter.',
    params: [requiredParam('filter', wire.filterId)],
    result: wire.flag,
    units: 80,
    upstream: { serve: 'self', class: 'sticky' },
    parse(params) {
      const [id] = parseArguments(params, [required(parseFilterId)])
      return id
    },
    run: (id, call) => filters.drop(call, id),
  }
}
