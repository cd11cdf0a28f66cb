// eth_newPendingTransactionFilter [full?]: an ID with which eth_getFilterChanges returns the hashes of transactions that become
// ready for a block. Full transactions (full = true) are not supported.
// Tested by test/api/filters-started.test.ts
import type { Filters } from '../../filters/filters.ts'
import { optionalParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, parseFlag, refuseArgument } from '../../params/arguments.ts'

export function createEthNewPendingTransactionFilter(filters: Filters): RpcMethod<null> {
  return {
    name: 'eth_newPendingTransactionFilter',
    summary: 'A filter of what waits for a block.',
    params: [optionalParam('fullTransactions', wire.flag)],
    result: wire.filterId,
    units: 80,
    upstream: { serve: 'self', class: 'sticky' },
    parse(params) {
      const [full] = parseArguments(params, [optional(parseFlag, false)])
      if (full) throw refuseArgument(0, 'full transactions are not supported, only hashes')
      return null
    },
    async run(_input, call) {
      return await filters.add(call, { kind: 'pending' })
    },
  }
}
