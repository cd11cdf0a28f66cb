// Usage in a window, of one key, an account or all: from the database and memory, each call counted once. Reads the
// coarsest spans that the window allows, and the rows summed per account or for all: it runs on the request thread, so
// it must be short.
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import { latencyColumns } from '../../db/usage-spans.ts'
import {
  Collecting,
  type Dimension,
  holderOf,
  type HolderRow,
  isOf,
  type Row,
  type Start,
  type UsageReport,
  type UsageScope,
} from './usage-collecting.ts'
import type { Sums } from './usage-sums.ts'
import type { Usage } from './usage.ts'
import type { FlushedRow } from './usage-row.ts'
import { type Stretch, stretchesOf, windowAt, type WindowName } from './usage-window.ts'

export type UsageReports = {
  report(scope: UsageScope, window: WindowName, by?: Dimension): UsageReport
}

type LatencyRow = Pick<Row, 'face' | 'network' | 'method'> & Counted
type Counted = {
  readonly part: number
  /** Of the sixteen columns, in order, as JSON. */
  readonly counts: string
}

const sumsSql = `sum(requests) AS requests, sum(iif(outcome = 'ok', 0, requests)) AS failed, sum(units) AS units,
  sum(bytes_in) AS bytesIn, sum(bytes_out) AS bytesOut`
const countsSql = `part, json_array(${latencyColumns.map((column) => `sum(${column})`).join(', ')}) AS counts`

/** `read`: of Usage; without counting, a read of the database alone. */
export function createUsageReports(parts: {
  readonly db: Database
  readonly clock: Clock
  readonly read: Usage['read']
}): UsageReports {
  const { db, clock, read } = parts

  function collect(collecting: Collecting, scope: UsageScope, held: readonly FlushedRow[]): void {
    const { window } = collecting
    const [from = 0] = window.starts
    const whole: Stretch = { minutes: window.minutes, from, until: null }
    const holder = holderOf(scope)
    for (const row of ofStretch<Start & Sums>(holder, whole, 'usage', 'start', sumsSql)) {
      collecting.addInterval(row)
    }
    for (const row of ofStretch<Start & Counted>(holder, whole, 'latency', 'start', countsSql)) {
      collecting.addIntervalLatency(row.start, countsOf(row), firstOf(row))
    }
    for (const stretch of stretchesOf(window)) {
      const names = 'face, network, method'
      const named = `${names}, outcome, reason, status`
      for (const row of ofStretch<Row>(holder, stretch, 'usage', named, sumsSql)) {
        collecting.addRow(row)
      }
      for (const row of ofStretch<LatencyRow>(holder, stretch, 'latency', names, countsSql)) {
        collecting.addLatency(row, countsOf(row), firstOf(row))
      }
      collectHolders(collecting, scope, stretch)
    }
    collectSplit(collecting, scope, whole)
    for (const row of held)
      if (row.minute >= from && isOf(scope, row)) collecting.addHeld(row, scope)
  }

  function ofStretch<Shape extends object>(
    holder: string,
    { minutes, from, until }: Stretch,
    table: 'usage' | 'latency',
    names: string,
    sums: string,
  ): Shape[] {
    const group = table === 'latency' ? `${names}, part` : names
    return db.all<Shape>(
      `SELECT ${names}, ${sums} FROM ${table} WHERE holder = ? AND span = ? AND start >= ? AND start < ?
        GROUP BY ${group}`,
      [holder, minutes, from, until ?? farFuture],
    )
  }

  function collectHolders(collecting: Collecting, scope: UsageScope, stretch: Stretch): void {
    const below = belowOf(scope)
    if (below === null) return
    const { minutes, from, until } = stretch
    const where = `WHERE span = ? AND start >= ? AND start < ?`
    const joined = (table: string) =>
      `FROM (${below.sql}) AS below CROSS JOIN ${table} ON ${table}.holder = below.holder ${where}`
    const values = [...below.parameters, minutes, from, until ?? farFuture]
    const sums = `SELECT usage.holder AS holder, ${sumsSql} ${joined('usage')} GROUP BY usage.holder`
    for (const row of db.all<HolderRow>(sums, values)) collecting.addHolder(row)
    const counts = `SELECT latency.holder AS holder, ${countsSql} ${joined('latency')} GROUP BY latency.holder, part`
    for (const row of db.all<{ holder: string } & Counted>(counts, values)) {
      collecting.addHolderLatency(row.holder, countsOf(row), firstOf(row))
    }
  }

  function collectSplit(collecting: Collecting, scope: UsageScope, whole: Stretch): void {
    const { by } = collecting
    if (by === null) return
    if (by !== 'holder') {
      const names = { network: 'face, network', method: 'method', status: 'status' } as const
      const split = by === 'reason' ? 'outcome, reason' : names[by]
      const rows = ofStretch<Start & Row>(
        holderOf(scope),
        whole,
        'usage',
        `start, ${split}`,
        sumsSql,
      )
      for (const row of rows) collecting.addSplit(row)
      return
    }
    const below = belowOf(scope)
    if (below === null) return
    const rows = db.all<HolderRow & Start>(
      `SELECT usage.holder AS holder, start, ${sumsSql} FROM (${below.sql}) AS below
        CROSS JOIN usage ON usage.holder = below.holder WHERE span = ? AND start >= ?
        GROUP BY usage.holder, start`,
      [...below.parameters, whole.minutes, whole.from],
    )
    for (const row of rows) collecting.addHolderSplit(row)
  }

  return {
    report(scope, name, by) {
      const now = clock.now()
      const collecting = new Collecting(windowAt(name, now), by ?? null)
      read((held) => collect(collecting, scope, held))
      return collecting.report(now)
    },
  }
}

const farFuture = Number.MAX_SAFE_INTEGER

function firstOf({ part }: Counted): number {
  return part * latencyColumns.length
}

function countsOf({ counts }: Counted): readonly number[] {
  return JSON.parse(counts) as number[]
}

/** The holders that a scope consists of; null: it is one itself. */
function belowOf(
  scope: UsageScope,
): { readonly sql: string; readonly parameters: string[] } | null {
  if ('keyId' in scope) return null
  if ('accountId' in scope) {
    const sql = 'SELECT id AS holder FROM api_key WHERE account_id = ?'
    return { sql, parameters: [scope.accountId] }
  }
  return { sql: `SELECT '@' || id AS holder FROM account`, parameters: [] }
}
