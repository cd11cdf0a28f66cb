// Heads of other nodes as hints: if another node reports a higher block, this node polls its upstreams immediately, so that clients
// behind a load balancer rarely see the head go back. Hints are not trusted: the head always comes from upstreams.
// Tested by src/chain/upstream/head/head-hints.test.ts
import type { Clock } from '../../../base/clock.ts'
import { toBareHex } from '../../../base/hex.ts'
import type { PubSub } from '../../../base/pub-sub.ts'
import type { HeadFollower } from './head-follower.ts'

/** Minimum time between polls that hints cause. */
const pollGapMs = 250
/** Polls for one hint: the upstreams of this node may get the block a moment later. */
const pollsMax = 3

/** Returns the stop function. */
export function shareHeadHints(parts: {
  readonly network: string
  readonly head: Pick<HeadFollower, 'latest' | 'poll' | 'watch'>
  readonly pubSub: PubSub
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
}): () => void {
  const { network, head, pubSub, clock } = parts
  const topic = `head:${network}`
  let announced = 0n
  let pollsLeft = 0
  let polledAt = -pollGapMs
  let stopTimer: (() => void) | null = null

  /** -1 without a head. */
  function numberNow(): bigint {
    try {
      return head.latest().number
    } catch {
      return -1n
    }
  }

  function pollSoon(): void {
    if (stopTimer !== null || pollsLeft === 0 || announced <= numberNow()) return
    const waitMs = Math.max(0, polledAt + pollGapMs - clock.monotonic())
    stopTimer = clock.after(waitMs, () => {
      if (announced <= numberNow()) {
        stopTimer = null
        return
      }
      polledAt = clock.monotonic()
      pollsLeft -= 1
      void head.poll().then(() => {
        stopTimer = null
        pollSoon()
      })
    })
  }

  const stopListening = pubSub.subscribe(topic, (message) => {
    const number = /^(\d{1,20}) [0-9a-f]{64}$/.exec(message)?.[1]
    if (number === undefined || BigInt(number) <= numberNow()) return
    announced = BigInt(number)
    pollsLeft = pollsMax
    pollSoon()
  })
  const stopWatching = head.watch(({ added }) => {
    const newest = added.at(-1)
    if (newest !== undefined) pubSub.publish(topic, `${newest.number} ${toBareHex(newest.hash)}`)
  })
  return () => {
    stopListening()
    stopWatching()
    stopTimer?.()
    pollsLeft = 0
  }
}
