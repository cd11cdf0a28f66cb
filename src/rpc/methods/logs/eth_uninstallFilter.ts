// eth_uninstallFilter [id]: forgets the filter; false when there is none.
// Tested by test/faces/filters-started.test.ts
import type { Filters } from '../../filters/filters.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseFilterId } from '../../params/filter-id.ts'

export function createEthUninstallFilter(filters: Filters): RpcOperation<string> {
  return {
    name: 'eth_uninstallFilter',
    units: 80,
    parse(params) {
      const [id] = parseArguments(params, [required(parseFilterId)])
      return id
    },
    run: (id, call) => Promise.resolve(filters.drop(call, id)),
  }
}
