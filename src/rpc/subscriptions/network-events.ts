// All subscriptions of one network.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { createChainEvents } from '../../chain/chain-events.ts'
import type { Network } from '../../chain/network.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { createHeadEvents } from './head-events.ts'
import { createLogEvents } from './log-events.ts'
import { createPendingEvents } from './pending-events.ts'
import type { Events, Subscriber, SubscriptionKind } from './subscription.ts'

/** Limit for one network, over all connections. */
const subscriptionsMax = 50_000
/** Limit per key over all its connections: some subscriptions are free, so one key must not use up the limit of the network. */
const perKeyMax = 10_000

export type EventsParts = {
  readonly clock: Clock
  readonly log: Log
  readonly findSender: FindSender
}

export type NetworkEvents = {
  /**
   * As `Events`, for the key `keyId`. Also throws `over_filters` if the key has too many subscriptions, and `overloaded` if the
   * network has.
   */
  join(kind: SubscriptionKind, subscriber: Subscriber, keyId: string): () => void
}

function createNetworkEvents(network: Network, parts: EventsParts): NetworkEvents {
  const feed = createChainEvents(network, parts)
  const heads = createHeadEvents(feed, parts.log)
  const logs = createLogEvents(network, feed, parts)
  const pending = createPendingEvents(network, parts)
  let count = 0
  const countOf = new Map<string, number>()

  const joinKind: Events<SubscriptionKind>['join'] = (kind, subscriber) => {
    switch (kind.kind) {
      case 'newHeads':
        return heads.join(kind, subscriber)
      case 'logs':
        return logs.join(kind, subscriber)
      case 'newPendingTransactions':
        return pending.join(kind, subscriber)
      case 'syncing':
        // Cairn never serves the head of a chain that is still syncing, so there is no event to send.
        return () => {}
    }
  }

  return {
    join(kind, subscriber, keyId) {
      const countOfThisKey = countOf.get(keyId) ?? 0
      if (countOfThisKey >= perKeyMax) {
        const detail = `too many subscriptions of this project ID, limit is ${perKeyMax}`
        throw new Fault('over_filters', { detail })
      }
      if (count >= subscriptionsMax) throw new Fault('overloaded')
      const leave = joinKind(kind, subscriber)
      count += 1
      countOf.set(keyId, countOfThisKey + 1)
      let joined = true
      return () => {
        if (!joined) return
        joined = false
        count -= 1
        const left = (countOf.get(keyId) ?? 1) - 1
        if (left > 0) countOf.set(keyId, left)
        else countOf.delete(keyId)
        leave()
      }
    },
  }
}

/** Events of each network, created on first use and released with the network. */
export function createEvents(parts: EventsParts): (network: Network) => NetworkEvents {
  const byNetwork = new WeakMap<Network, NetworkEvents>()
  return (network) => {
    const existing = byNetwork.get(network)
    if (existing !== undefined) return existing
    const events = createNetworkEvents(network, parts)
    byNetwork.set(network, events)
    return events
  }
}
