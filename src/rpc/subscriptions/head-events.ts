// newHeads: the header of each block that becomes canonical; after a reorg, of every block of the new branch.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import type { Log } from '../../base/log.ts'
import { renderHeader } from '../../chain/block-object.ts'
import type { ChainEvents } from '../../chain/chain-events.ts'
import { type ChainSubscriber, createChainSubscribers, notifyEach } from './chain-subscribers.ts'
import type { Events } from './subscription.ts'

const unitsPerHead = 50

export function createHeadEvents(
  feed: ChainEvents,
  log: Log,
): Events<{ readonly kind: 'newHeads' }> {
  const members = createChainSubscribers<ChainSubscriber>(
    feed,
    log,
    async ({ block, removed, sequence: turn }, all) => {
      if (removed) return
      const text = JSON.stringify(renderHeader(block))
      await notifyEach(all, ({ subscriber, after }) => {
        if (turn > after && subscriber.charge(unitsPerHead)) subscriber.send(text)
      })
    },
  )
  return {
    join: (_kind, subscriber) => members.join({ subscriber, after: feed.sequence }),
  }
}
