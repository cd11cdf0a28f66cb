// How many calls an upstream answered and failed in the last 24 hours, in intervals of 30 minutes, and its last failure. In
// memory, of a fixed size.
// Tested by src/chain/upstream/node/call-history.test.ts
import type { Clock } from '../../../base/clock.ts'
import { UpstreamError } from './upstream-error.ts'

export const historySlots = 48
export const historyIntervalMs = 1_800_000
const messageMax = 300

type CallFailure = {
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  /** Secrets are redacted. */
  readonly message: string
}

export type CallCounts = {
  /** Number of the newest interval: it begins at this multiple of `historyIntervalMs`, milliseconds since 1970 UTC. */
  readonly slot: number
  /** Calls in each interval, oldest first; always 48 intervals. */
  readonly calls: readonly number[]
  /** Failed calls in each interval. */
  readonly failed: readonly number[]
  /** Since the start; null: none. */
  readonly lastFailure: CallFailure | null
}

export type CallHistory = {
  succeed(): void
  /**
   * Counts a call that ended with this exception. An error that answers the call counts as answered. A call that was not sent, or
   * whose caller left, does not count.
   */
  learn(error: unknown): void
  now(): CallCounts
}

export function createCallHistory(clock: Clock): CallHistory {
  const calls = new Uint32Array(historySlots)
  const failed = new Uint32Array(historySlots)
  let newest = slotNow()
  let lastFailure: CallFailure | null = null

  function slotNow(): number {
    return Math.floor(clock.now() / historyIntervalMs)
  }

  /** Clears the intervals that began since. If the clock was set back, calls count in the newest interval. */
  function advance(): number {
    const now = slotNow()
    for (const end = Math.min(now, newest + historySlots); newest < end;) {
      newest++
      calls[newest % historySlots] = 0
      failed[newest % historySlots] = 0
    }
    newest = Math.max(newest, now)
    return newest % historySlots
  }

  function count(counts: Uint32Array): void {
    const at = advance()
    counts[at] = (counts[at] ?? 0) + 1
  }

  function ordered(counts: Uint32Array): readonly number[] {
    const oldest = (advance() + 1) % historySlots
    return [...counts.subarray(oldest), ...counts.subarray(0, oldest)]
  }

  return {
    succeed: () => count(calls),
    learn(error) {
      if (!(error instanceof UpstreamError) || error.kind === 'not_asked') return
      count(calls)
      if (!failures.has(error.kind)) return
      count(failed)
      lastFailure = { time: clock.now(), message: error.message.slice(0, messageMax) }
    },
    now() {
      advance()
      return { slot: newest, calls: ordered(calls), failed: ordered(failed), lastFailure }
    },
  }
}

/** Kinds of errors by which the upstream, or the connection to it, returned no answer. */
const failures = new Set<string>(['trouble', 'rate_limit', 'billing', 'credentials'])

/** Adds up the counts of two processes that call the same upstream. */
export function addCallCounts(one: CallCounts, other: CallCounts): CallCounts {
  const slot = Math.max(one.slot, other.slot)
  const add = (name: 'calls' | 'failed'): readonly number[] =>
    Array.from({ length: historySlots }, (_, at) =>
      [one, other].reduce((sum, counts) => sum + (counts[name][at + slot - counts.slot] ?? 0), 0),
    )
  const isLater = (other.lastFailure?.time ?? 0) > (one.lastFailure?.time ?? 0)
  return {
    slot,
    calls: add('calls'),
    failed: add('failed'),
    lastFailure: isLater ? other.lastFailure : one.lastFailure,
  }
}
