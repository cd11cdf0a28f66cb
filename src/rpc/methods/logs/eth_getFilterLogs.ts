// eth_getFilterLogs [id]: all logs in the filter's range, as eth_getLogs returns them. Does not advance the place of
// eth_getFilterChanges.
// Tested by test/api/filters-started.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Filters } from '../../filters/filters.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { type RpcCall, type RpcMethod, runOperation } from '../../operation.ts'
import { parseArguments, parseFilterId, required } from '../../params/arguments.ts'
import type { LogQuery } from '../../params/log-filter.ts'
import { createEthGetLogs } from './eth_getLogs.ts'

/** `queryOf`: the query of the filter, for callers that search in another way. Rejects with `no_filter`. */
export type GetFilterLogs = RpcMethod<string> & {
  queryOf(id: string, call: RpcCall): Promise<LogQuery>
}

export function createEthGetFilterLogs(filters: Filters, clock: Clock): GetFilterLogs {
  const getLogs = createEthGetLogs(clock)
  return {
    name: 'eth_getFilterLogs',
    summary: 'All logs of a filter.',
    params: [requiredParam('filter', wire.filterId)],
    result: wire.list(wire.log),
    units: 255,
    upstream: { serve: 'self', class: 'sticky' },
    parse(params) {
      const [id] = parseArguments(params, [required(parseFilterId)])
      return id
    },
    queryOf: (id, call) => filters.queryOf(call, id),
    async run(id, call) {
      return await runOperation(getLogs, await filters.queryOf(call, id), call)
    },
  }
}
