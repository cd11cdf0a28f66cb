// eth_getFilterLogs [id]: all logs that the filter's range holds now, as eth_getLogs gives them. The place of
// eth_getFilterChanges stays where it is.
// Tested by test/api/filters-started.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Filters } from '../../filters/filters.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { type RpcCall, type RpcMethod, runOperation } from '../../operation.ts'
import { parseArguments, parseFilterId, required } from '../../params/arguments.ts'
import type { LogQuery } from '../../params/log-filter.ts'
import { createEthGetLogs } from './eth_getLogs.ts'

/** `queryOf`: what the filter searches for, for whom searches in another way. Rejects with `no_filter`. */
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
