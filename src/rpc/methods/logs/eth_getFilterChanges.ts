// eth_getFilterChanges [id]: what is new since the filter was made or last asked: hashes, or logs.
// Tested by test/faces/filters-started.test.ts
import type { Filters } from '../../filters/filters.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseFilterId } from '../../params/filter-id.ts'

export function createEthGetFilterChanges(filters: Filters): RpcOperation<string> {
  return {
    name: 'eth_getFilterChanges',
    units: 140,
    parse(params) {
      const [id] = parseArguments(params, [required(parseFilterId)])
      return id
    },
    run: (id, call) => filters.poll(call, id),
  }
}
