// Deletes old usage: minutes after a day, hours after five weeks, days after the configured time. Each round deletes a few holders
// and a limited time range, so that no write is long.
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { deleteOldFlushes } from '../../tables/usage-flushes.ts'
import { deleteUsage, findHolderAfter, findOldestUsage, spans } from '../../tables/usage.ts'
import { dayMs, hourMs, minuteMs } from './usage-row.ts'

export type UsageRetention = {
  /** Runs one round. Never rejects. */
  sweep(): Promise<void>
  stop(): void
}

const periodMs = 60_000
const minutesRetainedMs = 26 * hourMs
const hoursRetainedMs = 35 * dayMs
/** How long to retain the sequence numbers of writers that may still have flushes in a spool. */
const flushesRetainedMs = 35 * dayMs
/** Holders per round. */
const holdersMax = 256
/** Intervals of one holder deleted per round. */
const intervalsMax = 600

/** `daysRetained`: retention of the daily rows. */
export function createUsageRetention(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  readonly daysRetained: () => number
}): UsageRetention {
  const { rows, clock, log } = parts
  let cursor = ''
  let sweeping: Promise<void> | null = null

  async function deletionsOf(holder: string): Promise<readonly Statement[]> {
    const now = clock.now()
    const retained = [
      [spans.minute, minutesRetainedMs],
      [spans.hour, hoursRetainedMs],
      [spans.day, parts.daysRetained() * dayMs],
    ] as const
    const deletions: Statement[] = []
    for (const [span, retainedMs] of retained) {
      const oldest = (await rows.first(findOldestUsage(holder, span)))?.start ?? null
      if (oldest === null || oldest >= now - retainedMs) continue
      const until = Math.min(now - retainedMs, oldest + intervalsMax * span * minuteMs)
      deletions.push(...deleteUsage(holder, span, until))
    }
    return deletions
  }

  function sweep(): Promise<void> {
    sweeping ??= sweepRound().finally(() => (sweeping = null))
    return sweeping
  }

  async function sweepRound(): Promise<void> {
    try {
      for (let checked = 0; checked < holdersMax; checked++) {
        const holder = (await rows.first(findHolderAfter(cursor)))?.holder ?? null
        // The next round starts with the first holder again.
        cursor = holder ?? ''
        if (holder === null) {
          await rows.write([deleteOldFlushes(clock.now() - flushesRetainedMs)])
          return
        }
        const deletions = await deletionsOf(holder)
        if (deletions.length > 0) await rows.write(deletions)
      }
    } catch (error) {
      log('error', 'usage_not_let_go', { error })
    }
  }

  return { sweep, stop: clock.every(periodMs, () => void sweep()) }
}
