// All that can be subscribed to on one network.
// Tested by src/gateway/events/subscriptions.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { createChainFeed } from '../../ethereum/chain-feed.ts'
import type { Network } from '../../ethereum/network.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { createHeadEvents } from './head-events.ts'
import { createLogEvents } from './log-events.ts'
import { createPendingEvents } from './pending-events.ts'
import type { Events, SubscriptionKind } from './subscription.ts'

/** Of one network, all connections together. */
const subscriptionsMax = 50_000

export type EventsParts = {
  readonly clock: Clock
  readonly log: Log
  readonly findSender: FindSender
}

export type NetworkEvents = Events<SubscriptionKind>

/** `join` throws `overloaded` too, when there are too many subscriptions in all. */
function createNetworkEvents(network: Network, parts: EventsParts): NetworkEvents {
  const feed = createChainFeed(network, parts)
  const heads = createHeadEvents(feed, parts.log)
  const logs = createLogEvents(network, feed, parts)
  const pending = createPendingEvents(network, parts)
  let count = 0

  const joinKind: NetworkEvents['join'] = (kind, subscriber) => {
    switch (kind.kind) {
      case 'newHeads':
        return heads.join(kind, subscriber)
      case 'logs':
        return logs.join(kind, subscriber)
      case 'newPendingTransactions':
        return pending.join(kind, subscriber)
      case 'syncing':
        // The head served is never one that is being caught up with, so there is no change to tell.
        return () => {}
    }
  }

  return {
    join(kind, subscriber) {
      if (count >= subscriptionsMax) throw new Fault('overloaded')
      const leave = joinKind(kind, subscriber)
      count += 1
      let joined = true
      return () => {
        if (!joined) return
        joined = false
        count -= 1
        leave()
      }
    },
  }
}

/** Of each network, made when it is first asked for; gone with the network. */
export function createEvents(parts: EventsParts): (network: Network) => NetworkEvents {
  const made = new WeakMap<Network, NetworkEvents>()
  return (network) => {
    const known = made.get(network)
    if (known !== undefined) return known
    const events = createNetworkEvents(network, parts)
    made.set(network, events)
    return events
  }
}
