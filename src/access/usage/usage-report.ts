// Usage in a period, of one key, an account or all: from the database and memory, each call counted once. Reads the coarsest spans
// that the period allows, and rows summed per account or for all: it runs on the request thread, so it must be short.
import type { Clock } from '../../base/clock.ts'
import type { Query } from '../../db/rows.ts'
import { latencyColumns } from '../../db/migrations.ts'
import {
  countLatencyByHolder,
  countLatencyByMethod,
  countLatencyByStart,
  type LatencyCountsRow,
  everyCall,
  splitUsageByHolder,
  splitUsageByStart,
  sumUsageByHolder,
  sumUsageByOutcome,
  sumUsageByStart,
  sumVerified,
  type UsageFilter,
  type UsageSumsRow,
} from '../../tables/usage.ts'
import {
  Collecting,
  type Dimension,
  holderOf,
  hasLevels,
  isIn,
  isOf,
  type UsageReport,
  type UsageScope,
} from './usage-collecting.ts'
import type { Sums } from './usage-row.ts'
import type { UsageRead } from './usage.ts'
import { stretchesOf, type UsagePeriod, windowAt } from './usage-window.ts'

export type UsageReports = {
  /** For the calls that match `filter`; absent: all. Throws `bad_input` for a period with too many intervals or in the future. */
  report(
    scope: UsageScope,
    period: UsagePeriod,
    by?: Dimension,
    filter?: UsageFilter,
  ): Promise<UsageReport>
}

/** One query of a report, and the function that adds its rows to the report. */
type Reading = {
  readonly query: Query<object>
  readonly add: (rows: readonly object[]) => void
}

/** `read`: from Usage; if usage is not counted, a read of the database only. */
export function createUsageReports(parts: {
  readonly clock: Clock
  readonly read: UsageRead
}): UsageReports {
  const { clock, read } = parts
  return {
    async report(scope, period, by, filter = everyCall) {
      const now = clock.now()
      const collecting = new Collecting(windowAt(period, now), by ?? null, filter)
      const { starts, until } = collecting.window
      const [from = 0] = starts
      const readings = readingsOf(collecting, scope, filter)
      const { rows, unwritten } = await read(
        readings.map(({ query }) => query),
        (row) =>
          row.minute >= from &&
          (until === null || row.minute < until) &&
          isOf(scope, row) &&
          isIn(filter, row),
      )
      for (const [at, { add }] of readings.entries()) add(rows[at] ?? [])
      for (const row of unwritten) collecting.addUnwritten(row, scope)
      return collecting.report(now)
    },
  }
}

function readingsOf(
  collecting: Collecting,
  scope: UsageScope,
  filter: UsageFilter,
): readonly Reading[] {
  const { window, by } = collecting
  const [from = 0] = window.starts
  const holder = holderOf(scope)
  const range = { span: window.minutes, from, until: window.until }
  // The report of a key has no breakdown by holder.
  const group = 'keyId' in scope ? null : scope
  return [
    reading(sumUsageByStart(holder, range, filter), (row) => {
      collecting.addInterval({ start: row.start, ...sumsOf(row) })
    }),
    reading(countLatencyByStart(holder, range, filter), (row) => {
      collecting.addIntervalLatency(row.start, countsOf(row), firstOf(row))
    }),
    ...stretchesOf(window).flatMap(({ minutes, ...times }) => {
      const stretch = { span: minutes, ...times }
      const ofHolder = [
        reading(sumUsageByOutcome(holder, stretch, filter), (row) => {
          collecting.addRow({ ...row, ...sumsOf(row) })
        }),
        reading(countLatencyByMethod(holder, stretch, filter), (row) => {
          collecting.addLatency(row, countsOf(row), firstOf(row))
        }),
        ...(hasLevels(filter)
          ? [reading(sumVerified(holder, stretch, filter.network), collecting.addVerified)]
          : []),
      ]
      if (group === null) return ofHolder
      return [
        ...ofHolder,
        reading(sumUsageByHolder(group, stretch, filter), (row) => {
          collecting.addHolder({ holder: row.holder, ...sumsOf(row) })
        }),
        reading(countLatencyByHolder(group, stretch, filter), (row) => {
          collecting.addHolderLatency(row.holder, countsOf(row), firstOf(row))
        }),
      ]
    }),
    ...(by === 'holder' && group !== null
      ? [
          reading(splitUsageByHolder(group, range, filter), (row) => {
            collecting.addHolderSplit({ start: row.start, holder: row.holder, ...sumsOf(row) })
          }),
        ]
      : []),
    ...(by !== 'holder' && by !== null
      ? [
          reading(splitUsageByStart(holder, range, by, filter), (row) => {
            collecting.addSplit({ ...row, ...sumsOf(row) })
          }),
        ]
      : []),
  ]
}

function reading<Row extends object>(query: Query<Row>, add: (row: Row) => void): Reading {
  return {
    query,
    add(rows) {
      for (const row of rows as readonly Row[]) add(row)
    },
  }
}

function sumsOf({ requests, failed, units, bytes_in, bytes_out }: UsageSumsRow): Sums {
  return { requests, failed, units, bytesIn: bytes_in, bytesOut: bytes_out }
}

function firstOf({ part }: LatencyCountsRow): number {
  return part * latencyColumns.length
}

function countsOf({ counts }: LatencyCountsRow): readonly number[] {
  return JSON.parse(counts) as number[]
}
