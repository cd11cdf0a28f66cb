// eth_subscribe [kind, …]: an ID of events sent over the same connection: newHeads, logs [filter], newPendingTransactions [full?],
// syncing. Not available over HTTP (refused-methods.ts).
import { Fault } from '../../../base/fault.ts'
import type { SubscriptionKind } from '../../subscriptions/subscription.ts'
import { boundsOf } from '../../filters/log-bounds.ts'
import { Revocable } from '../../revocable.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, parseFlag, required } from '../../params/arguments.ts'
import { parseLogFilter } from '../../params/log-filter.ts'

export const ethSubscribe: RpcMethod<SubscriptionKind> = {
  name: 'eth_subscribe',
  summary: 'Events over a WebSocket: newHeads, logs, newPendingTransactions, syncing.',
  params: [requiredParam('name', wire.text), optionalParam('options', wire.subscription)],
  result: wire.filterId,
  units: 5,
  upstream: { serve: 'self', class: 'sticky' },
  lasting: true,
  parse(params) {
    const [name] = params
    if (typeof name !== 'string') {
      const detail = 'expected subscription name as first argument'
      throw new Fault('bad_params', { detail })
    }
    switch (name) {
      case 'newHeads':
      case 'syncing':
        parseArguments(params, [named])
        return { kind: name }
      case 'newPendingTransactions': {
        const [, full] = parseArguments(params, [named, optional(parseFlag, false)])
        return { kind: name, full }
      }
      case 'logs': {
        const [, { filter, blocks }] = parseArguments(params, [named, required(parseLogFilter)])
        return { kind: name, filter, bounds: boundsOf(blocks) }
      }
      default: {
        const detail = `no "${name.slice(0, 256)}" subscription in eth namespace`
        throw new Fault('no_subscription', { detail })
      }
    }
  },
  addresses: (kind) => (kind.kind === 'logs' ? kind.filter.addresses : undefined),
  async run(kind, { subscriptions }) {
    if (subscriptions === undefined) throw new Fault('no_subscription')
    const id = subscriptions.add(kind)
    // Drops the subscription if the client does not receive its ID: a notification has no reply, and the reply of a batch may be
    // too large.
    return new Revocable(id, () => subscriptions.drop(id))
  },
}

const named = required((value) => value)
