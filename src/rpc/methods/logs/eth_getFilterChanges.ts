// eth_getFilterChanges [id]: changes since the filter was created or last polled: hashes, or logs.
// Tested by test/api/filters-started.test.ts
import type { Filters } from '../../filters/filters.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseFilterId, required } from '../../params/arguments.ts'

export function createEthGetFilterChanges(filters: Filters): RpcMethod<string> {
  return {
    name: 'eth_getFilterChanges',
    summary: 'What is new since the last poll.',
    params: [requiredParam('filter', wire.filterId)],
    result: wire.list(wire.either('Change', wire.log, wire.blockHash)),
    units: 140,
    upstream: { serve: 'self', class: 'sticky' },
    parse(params) {
      const [id] = parseArguments(params, [required(parseFilterId)])
      return id
    },
    run: (id, call) => filters.poll(call, id),
  }
}
