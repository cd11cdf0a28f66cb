// Usage rows as SQL statements of one write: minutes, hours and days, latencies, monthly transfer, and the day a key was
// last used. Each row is written for three holders in three spans: SQLite expands the nine rows on the writer's thread,
// so calls wait for one statement only.
// Tested by src/access/usage/usage.test.ts
import { latencyColumns } from '../../db/usage-spans.ts'
import type { Statement } from '../../db/writer.ts'
import { startOfMonth } from './transfer-counts.ts'
import { type FlushedRow, minuteMs } from './usage-row.ts'

/** Of a row, in minutes, as in the column. */
export const spans = { minute: 1, hour: 60, day: 1440 } as const
export type UsageInterval = keyof typeof spans

/** Start of the span that contains a time. `minutes`: length of the span. */
export function startOf(minutes: number, time: number): number {
  return time - (time % (minutes * minuteMs))
}

/** Holder of a usage row: a key by its ID, an account, or all. */
export const holders = {
  account: (accountId: string): string => `@${accountId}`,
  all: '*',
} as const

const place = ['key', 'account', 'minute', 'face', 'network', 'method']
const sums = ['requests', 'units', 'bytes_in', 'bytes_out']

/** The table `counted`: rows of `?1`, which are arrays as JSON. As JSONB each is parsed once and not for each value. */
function withCounted(columns: readonly string[]): string {
  const values = columns.map((column, at) => `value ->> ${at} AS ${column}`)
  return `WITH parsed AS MATERIALIZED (SELECT jsonb(value) AS value FROM json_each(?1)),
    counted AS MATERIALIZED (SELECT ${values.join(', ')} FROM parsed)`
}

/** Adds `counts` to the rows of `table` with the same `names`. */
function addUpSql(table: string, names: readonly string[], counts: readonly string[]): string {
  const shared = ['face', 'network', 'method', ...names].join(', ')
  const totals = counts.map((count) => `sum(${count})`).join(', ')
  return `${withCounted([...place, ...names, ...counts])},
    held AS (
      SELECT key AS holder, minute, ${shared}, ${counts.join(', ')} FROM counted
      UNION ALL SELECT '@' || account, minute, ${shared}, ${totals} FROM counted GROUP BY account, minute, ${shared}
      UNION ALL SELECT '${holders.all}', minute, ${shared}, ${totals} FROM counted GROUP BY minute, ${shared}),
    spans (span) AS (VALUES (${Object.values(spans).join('), (')}))
    INSERT INTO ${table} (holder, span, start, ${shared}, ${counts.join(', ')})
    SELECT holder, span, minute - minute % (span * ${minuteMs}), ${shared}, ${counts.join(', ')}
    FROM held CROSS JOIN spans WHERE true
    ON CONFLICT DO UPDATE SET ${counts.map((count) => `${count} = ${count} + excluded.${count}`).join(', ')}`
}

const usageSql = addUpSql('usage', ['outcome', 'reason', 'status'], sums)
const latencySql = addUpSql('latency', ['part'], latencyColumns)
const lastUsedSql = `${withCounted(['key', 'day'])}
  UPDATE api_key SET last_used_day = used.day
  FROM (SELECT key, date(max(day) / 1000, 'unixepoch') AS day FROM counted GROUP BY key) AS used
  WHERE id = used.key AND (last_used_day IS NULL OR last_used_day < used.day)`
const transferSql = `${withCounted(['key', 'began', 'up', 'down'])}
  INSERT INTO transfer (key_id, month, bytes_in, bytes_out)
  SELECT key, began, sum(up), sum(down) FROM counted GROUP BY key, began
  ON CONFLICT DO UPDATE SET bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out`
const revisionSql = `UPDATE revision SET number = number + 1 WHERE name = 'usage'`

/** All of `rows`, and one more for the revision `usage`. */
export function usageStatements(rows: readonly FlushedRow[]): readonly Statement[] {
  return [
    statement(usageSql, rows.map(usageRow)),
    statement(latencySql, rows.flatMap(latencyRows)),
    statement(transferSql, rows.filter(isTransfer).map(transferRow)),
    statement(
      lastUsedSql,
      rows.map(({ keyId, minute }) => [keyId, minute]),
    ),
    { sql: revisionSql, parameters: [] },
  ]
}

type Value = string | number

function statement(sql: string, rows: readonly (readonly Value[])[]): Statement {
  return { sql, parameters: [JSON.stringify(rows)] }
}

function placeOf({ keyId, accountId, minute, face, network, method }: FlushedRow): Value[] {
  return [keyId, accountId, minute, face, network, method]
}

function usageRow(row: FlushedRow): Value[] {
  const { outcome, reason, status, requests, units, bytesIn, bytesOut } = row
  return [...placeOf(row), outcome, reason, status, requests, units, bytesIn, bytesOut]
}

/** One for each part of the histogram in which there is something. */
function latencyRows(row: FlushedRow): Value[][] {
  const { latency } = row
  if (latency === null) return []
  const parts: Value[][] = []
  const width = latencyColumns.length
  for (let from = 0; from < latency.length; from += width) {
    const counts = latency.slice(from, from + width)
    if (counts.every((count) => count === 0)) continue
    parts.push([...placeOf(row), from / width, ...padded(counts, width)])
  }
  return parts
}

function padded(counts: Readonly<Uint32Array>, width: number): number[] {
  return Array.from({ length: width }, (_, at) => counts[at] ?? 0)
}

function isTransfer({ face, bytesIn, bytesOut }: FlushedRow): boolean {
  return face === 'files' && bytesIn + bytesOut > 0
}

function transferRow({ keyId, minute, bytesIn, bytesOut }: FlushedRow): Value[] {
  return [keyId, startOfMonth(minute), bytesIn, bytesOut]
}
