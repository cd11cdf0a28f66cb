// logs: those of each block that becomes canonical, from proved receipts. For a block that left the chain, the same logs with
// `removed: true`, last first. A block's logs are read once for all interested subscribers.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import type { Clock } from '../../base/clock.ts'
import { retryWithBackoff } from '../../base/retry-with-backoff.ts'
import type { Log } from '../../base/log.ts'
import type { ChainEvents, ChainEvent } from '../../chain/chain-events.ts'
import {
  createLogMatcher,
  isWithin,
  type LogBounds,
  type LogMatcher,
  type PlacedLog,
  readPlacedLogs,
} from '../../chain/logs.ts'
import type { Network } from '../../chain/network.ts'
import { type ChainSubscriber, createChainSubscribers, notifyEach } from './chain-subscribers.ts'
import type { Events, SubscriptionKind } from './subscription.ts'

/** Charged for each block, whether or not its logs match. A block that left the chain is free. */
const unitsPerBlock = 300
/** With more subscribers than this, every log is rendered without checking first whether one matches. */
const matchedMembersMax = 16
const tryMs = 10_000
/** Time to wait for the receipts of a block while no source has them. */
const patienceMs = 300_000

type LogMember = ChainSubscriber & { readonly matcher: LogMatcher; readonly bounds: LogBounds }

export function createLogEvents(
  network: Network,
  feed: ChainEvents,
  parts: { readonly clock: Clock; readonly log: Log },
): Events<Extract<SubscriptionKind, { kind: 'logs' }>> {
  async function readLogs(
    { block }: ChainEvent,
    wanting: readonly LogMember[],
    signal: AbortSignal,
  ): Promise<readonly PlacedLog[]> {
    const matchesAny: LogMatcher['matches'] =
      wanting.length > matchedMembersMax
        ? () => true
        : (log) => wanting.some(({ matcher }) => matcher.matches(log))
    const insistence = {
      clock: parts.clock,
      tryMs,
      waitMs: 100,
      waitMsMax: 5_000,
      patienceMs,
      isFinal: () => false,
    }
    return await retryWithBackoff(
      (trying) => readPlacedLogs(network, block, matchesAny, trying),
      insistence,
      signal,
    )
  }

  async function work(
    step: ChainEvent,
    all: ReadonlySet<LogMember>,
    signal: AbortSignal,
  ): Promise<void> {
    const { block, removed, sequence: turn } = step
    const wanting: LogMember[] = []
    await notifyEach(all, (member) => {
      if (turn <= member.after || !isWithin(member.bounds, block.header.number)) return
      if (!removed && !member.subscriber.charge(unitsPerBlock)) return
      if (member.matcher.mayMatch(block)) wanting.push(member)
    })
    if (wanting.length === 0) return
    const logs = (await readLogs(step, wanting, signal)).map(({ log, object }) => ({
      log,
      text: JSON.stringify(removed ? { ...object, removed } : object),
    }))
    if (removed) logs.reverse()
    await notifyEach(wanting, ({ subscriber, matcher }) => {
      for (const { log, text } of logs) if (matcher.matches(log)) subscriber.send(text)
    })
  }

  const members = createChainSubscribers<LogMember>(feed, parts.log, work)
  return {
    join: ({ filter, bounds }, subscriber) =>
      members.join({ subscriber, after: feed.sequence, matcher: createLogMatcher(filter), bounds }),
  }
}
