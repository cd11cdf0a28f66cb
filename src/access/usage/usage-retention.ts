// Deletes old usage: minutes after a day, hours after five weeks, days after the configured time. Deletes a few holders
// and a limited time range per round, so that no write is long.
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import { dayMs, hourMs, minuteMs } from './usage-row.ts'
import { spans } from './usage-statements.ts'

export type UsageRetention = {
  /** One round; resolves in any case. */
  sweep(): Promise<void>
  stop(): void
}

const periodMs = 60_000
const minutesKeptMs = 26 * hourMs
const hoursKeptMs = 35 * dayMs
/** Holders per round. */
const holdersMax = 256
/** Intervals of one holder deleted per round. */
const intervalsMax = 600

const nextSql = 'SELECT min(holder) FROM usage WHERE holder > ?'
const oldestSql = 'SELECT min(start) FROM usage WHERE holder = ? AND span = ?'
const tables = ['usage', 'latency'] as const

/** `daysKept`: of days. */
export function createUsageRetention(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
  readonly daysKept: () => number
}): UsageRetention {
  const { db, writer, clock, log } = parts
  let after = ''
  let sweeping = false

  function deletionsOf(holder: string): { sql: string; parameters: (string | number)[] }[] {
    const now = clock.now()
    const retained = [
      [spans.minute, minutesKeptMs],
      [spans.hour, hoursKeptMs],
      [spans.day, parts.daysKept() * dayMs],
    ] as const
    return retained.flatMap(([span, retainedMs]) => {
      const oldest = db.getValue<number>(oldestSql, [holder, span])
      if (oldest === null || oldest >= now - retainedMs) return []
      const until = Math.min(now - retainedMs, oldest + intervalsMax * span * minuteMs)
      return tables.map((table) => ({
        sql: `DELETE FROM ${table} WHERE holder = ? AND span = ? AND start < ?`,
        parameters: [holder, span, until],
      }))
    })
  }

  async function sweep(): Promise<void> {
    if (sweeping) return
    sweeping = true
    try {
      for (let seen = 0; seen < holdersMax; seen++) {
        const holder = db.getValue<string>(nextSql, [after])
        // From the first one on, at the next round.
        after = holder ?? ''
        if (holder === null) return
        const deletions = deletionsOf(holder)
        if (deletions.length > 0) await writer.write(deletions)
      }
    } catch (error) {
      log('error', 'usage_not_let_go', { error })
    } finally {
      sweeping = false
    }
  }

  return { sweep, stop: clock.every(periodMs, () => void sweep()) }
}
