// eth_unsubscribe [id]: ends a subscription of the same connection; nothing of it comes after the reply.
// Tested by src/rpc/methods/logs/eth_subscribe.test.ts
import { Fault } from '../../../base/fault.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseFilterId } from '../../params/filter-id.ts'

export const ethUnsubscribe: RpcOperation<string> = {
  name: 'eth_unsubscribe',
  units: 10,
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
