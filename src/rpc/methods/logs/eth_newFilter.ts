// eth_newFilter [filter]: an ID with which eth_getFilterChanges returns matching logs of later blocks.
// Tested by test/api/filters-started.test.ts
import { boundsOf } from '../../filters/log-bounds.ts'
import type { Filters } from '../../filters/filters.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { type LogQuery, parseLogFilter } from '../../params/log-filter.ts'

export function createEthNewFilter(filters: Filters): RpcMethod<LogQuery> {
  return {
    name: 'eth_newFilter',
    summary: 'A filter of logs.',
    params: [requiredParam('filter', wire.logFilter)],
    result: wire.filterId,
    units: 80,
    upstream: { serve: 'self', class: 'sticky' },
    parse(params) {
      const [query] = parseArguments(params, [required(parseLogFilter)])
      return query
    },
    addresses: ({ filter }) => filter.addresses,
    async run(query, call) {
      // Refuses a range that no later block can be in.
      boundsOf(query.blocks)
      return await filters.add(call, { kind: 'logs', query })
    },
  }
}
