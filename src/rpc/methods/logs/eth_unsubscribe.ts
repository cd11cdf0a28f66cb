// eth_unsubscribe [id]: ends a subscription of the same connection; sends none of its events after the reply.
// Tested by src/rpc/methods/logs/eth_subscribe.test.ts
import { Fault } from '../../../base/fault.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseFilterId, required } from '../../params/arguments.ts'

export const ethUnsubscribe: RpcMethod<string> = {
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription.',
  params: [requiredParam('filter', wire.filterId)],
  result: wire.flag,
  units: 10,
  upstream: { serve: 'self', class: 'sticky' },
  lasting: true,
  parse(params) {
    const [id] = parseArguments(params, [required(parseFilterId)])
    return id
  },
  async run(id, { subscriptions }) {
    if (subscriptions?.drop(id) !== true) {
      throw new Fault('no_filter', { detail: 'subscription not found' })
    }
    return true
  },
}
