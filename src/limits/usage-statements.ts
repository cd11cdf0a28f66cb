// Rows of usage as statements of one write: minutes, hours and days together, how long calls took, what moved in the
// month, and the day a key was last used.
// Tested by src/limits/usage.test.ts
import { latencyColumns } from '../db/usage-spans.ts'
import type { SqlValue, Statement } from '../db/writer.ts'
import { startOfMonth } from './transfer-counts.ts'
import { addCounts, dayMs, type FlushedRow, minuteMs, rowName } from './usage-row.ts'

/** Of a row, in minutes, as in the column. */
export const spans = { minute: 1, hour: 60, day: 1440 } as const
export type Span = keyof typeof spans

const usageSql = `INSERT INTO usage (holder, span, start, face, network, method, outcome, reason, status,
    requests, units, bytes_in, bytes_out)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, units = units + excluded.units,
    bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out`
const latencySql = `INSERT INTO latency (holder, span, start, face, network, method, part, ${latencyColumns.join(', ')})
  VALUES (?, ?, ?, ?, ?, ?, ?, ${latencyColumns.map(() => '?').join(', ')})
  ON CONFLICT DO UPDATE SET ${latencyColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`
const lastUsedSql = `UPDATE api_key SET last_used_day = ?1
  WHERE id = ?2 AND (last_used_day IS NULL OR last_used_day < ?1)`
const transferSql = `INSERT INTO transfer (key_id, month, bytes_in, bytes_out) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out`
const revisionSql = `UPDATE revision SET number = number + 1 WHERE name = 'usage'`

const columns = latencyColumns.length
const spanMinutes = Object.values(spans)

/** Start of the span that a time lies in. `minutes`: how long it is. */
export function startOf(minutes: number, time: number): number {
  return time - (time % (minutes * minuteMs))
}

/** Whose usage a row is: of a key by its id; of an account; of everybody. */
export const holders = {
  account: (accountId: string): string => `@${accountId}`,
  everybody: '*',
} as const

/** All of `rows`, and one more for the revision `usage`. */
export function usageStatements(rows: readonly FlushedRow[]): readonly Statement[] {
  const sums = new Map<string, Sum>()
  const histograms = new Map<string, Histogram>()
  for (const row of rows) {
    for (const holder of [row.keyId, holders.account(row.accountId), holders.everybody]) {
      addSums(sums, holder, row)
      if (row.latency !== null) addHistogram(histograms, holder, row.latency, row)
    }
  }
  return [
    statement(usageSql, [...sums.values()].flatMap(usageRows)),
    statement(latencySql, [...histograms.values()].flatMap(latencyRows)),
    statement(transferSql, rows.flatMap(transferRows)),
    statement(lastUsedSql, lastUsed(rows)),
    statement(revisionSql, [[]]),
  ]
}

function statement(sql: string, rows: readonly (readonly SqlValue[])[]): Statement {
  return { sql, parameters: [], rows }
}

type Sum = {
  readonly holder: string
  readonly row: FlushedRow
  requests: number
  units: number
  bytesIn: number
  bytesOut: number
}

function addSums(sums: Map<string, Sum>, holder: string, row: FlushedRow): void {
  const { requests, units, bytesIn, bytesOut } = row
  const name = rowName({ ...row, keyId: holder })
  const known = sums.get(name)
  if (known === undefined) {
    sums.set(name, { holder, row, requests, units, bytesIn, bytesOut })
    return
  }
  known.requests += requests
  known.units += units
  known.bytesIn += bytesIn
  known.bytesOut += bytesOut
}

function usageRows({ holder, row, requests, units, bytesIn, bytesOut }: Sum): SqlValue[][] {
  const { minute, face, network, method, outcome, reason, status } = row
  return spanMinutes.map((span) => {
    const name = [holder, span, startOf(span, minute), face, network, method, outcome, reason]
    return [...name, status, requests, units, bytesIn, bytesOut]
  })
}

type Histogram = {
  readonly holder: string
  readonly row: FlushedRow
  readonly counts: Uint32Array
}

/** One for the calls of a method, whatever became of them. */
function addHistogram(
  histograms: Map<string, Histogram>,
  holder: string,
  latency: Readonly<Uint32Array>,
  row: FlushedRow,
): void {
  const { minute, face, network, method } = row
  const name = `${holder}\n${minute}\n${face}\n${network}\n${method}`
  const known = histograms.get(name)
  if (known === undefined) histograms.set(name, { holder, row, counts: latency.slice() })
  else addCounts(known.counts, latency)
}

function latencyRows({ holder, row, counts }: Histogram): SqlValue[][] {
  const { minute, face, network, method } = row
  const parts: SqlValue[][] = []
  for (let part = 0; part * columns < counts.length; part++) {
    const own = Array.from({ length: columns }, (_, at) => counts[part * columns + at] ?? 0)
    if (own.every((count) => count === 0)) continue
    for (const span of spanMinutes) {
      parts.push([holder, span, startOf(span, minute), face, network, method, part, ...own])
    }
  }
  return parts
}

function transferRows({ face, minute, keyId, bytesIn, bytesOut }: FlushedRow): SqlValue[][] {
  if (face !== 'files' || bytesIn + bytesOut === 0) return []
  return [[keyId, startOfMonth(minute), bytesIn, bytesOut]]
}

function lastUsed(rows: readonly FlushedRow[]): SqlValue[][] {
  const days = new Map<string, number>()
  for (const { keyId, minute } of rows) days.set(keyId, Math.max(days.get(keyId) ?? 0, minute))
  return [...days].map(([keyId, minute]) => {
    const day = new Date(minute - (minute % dayMs)).toISOString().slice(0, 10)
    return [day, keyId]
  })
}
