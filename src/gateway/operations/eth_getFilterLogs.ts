// eth_getFilterLogs [id]: all logs that the filter's range holds now, as eth_getLogs gives them. The place of
// eth_getFilterChanges stays where it is.
// Tested by test/faces/filters-started.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Filters } from '../filters.ts'
import type { RpcOperation } from '../operation.ts'
import { parseArguments, required } from '../params/arguments.ts'
import { parseFilterId } from '../params/filter-id.ts'
import { createEthGetLogs } from './eth_getLogs.ts'

export function createEthGetFilterLogs(filters: Filters, clock: Clock): RpcOperation<string> {
  const getLogs = createEthGetLogs(clock)
  return {
    name: 'eth_getFilterLogs',
    units: 255,
    parse(params) {
      const [id] = parseArguments(params, [required(parseFilterId)])
      return id
    },
    async run(id, call) {
      return await getLogs.run(filters.queryOf(call, id), call)
    },
  }
}
