// Stays awake for the answer of an upstream that is near. A node of the same machine answers within 0.1 ms, and in a virtual
// machine a thread that went to sleep for it takes nearly as long again to wake up; looking at the sockets again and again
// costs less than that (docs/explanation/decisions/0032-busy-poll-local-upstreams.md).
// Tested by src/ethereum/upstream/node/busy-poll.test.ts
import { availableParallelism } from 'node:os'
import type { Clock } from '../../../base/clock.ts'

export type BusyPoll = {
  /** A call went out. What it returns is for `ended`. */
  sent(): number
  /** It was answered, or (`isAnswered` false) will not be, which says nothing of the upstream's distance. */
  ended(sentAt: number, isAnswered: boolean): void
}

/** An upstream is near that answers within it on average: a node of the same machine or rack, which is not worth a nap. */
const nearMs = 0.25
/** So long a thread stays awake for one answer: most that take longer than twice the average take much longer. */
const awakeMs = 0.5
/** What one answer weighs in the moving average, as in TCP's of round trips (RFC 6298). */
const weight = 1 / 8

/**
 * For the calls of one client. Only one call alone is waited for: with others under way there is work meanwhile. And only
 * where the upstream has a processor of its own to answer on.
 */
export function createBusyPoll({
  clock,
  processors = availableParallelism(),
  nextTurn = setImmediate,
}: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly processors?: number
  /** Runs `look` in the next turn of the loop, which does not sleep before it. */
  readonly nextTurn?: (look: () => void) => void
}): BusyPoll {
  let averageMs: number | null = null
  let underWay = 0
  let awakeUntil = 0
  let isAwake = false

  function look(): void {
    isAwake = underWay === 1 && clock.monotonic() < awakeUntil
    if (isAwake) nextTurn(look)
  }

  return {
    sent() {
      const now = clock.monotonic()
      underWay += 1
      if (processors > 1 && underWay === 1 && averageMs !== null && averageMs <= nearMs) {
        awakeUntil = now + awakeMs
        if (!isAwake) nextTurn(look)
        isAwake = true
      }
      return now
    },
    ended(sentAt, isAnswered) {
      underWay -= 1
      if (!isAnswered) return
      // A pause of one's own says little about the upstream.
      const ms = Math.min(clock.monotonic() - sentAt, awakeMs)
      averageMs = averageMs === null ? ms : averageMs + (ms - averageMs) * weight
    },
  }
}
