// Additions of one flush to the tables `usage`, `latency`, `verified` and `transfer`, and to the last used day in `api_key`. Each
// addition is written for three holders in three spans: SQLite expands the nine rows on the writer's thread, so calls wait for only
// one statement.
// Tested by src/access/usage/usage.test.ts
import { latencyColumns } from '../db/migrations.ts'
import type { Statement } from '../db/writer.ts'
import { holders, spans } from './usage.ts'

/** `minute`: start of the minute, milliseconds since 1970. */
export type CallGroup = readonly [
  keyId: string,
  accountId: string,
  minute: number,
  face: string,
  network: string,
  method: string,
]

export type UsageAddition = readonly [
  ...CallGroup,
  outcome: string,
  reason: string,
  status: number,
  requests: number,
  units: number,
  bytesIn: number,
  bytesOut: number,
]

/** `part`: selects the sixteen latency steps that `counts` covers. */
export type LatencyAddition = readonly [...CallGroup, part: number, ...counts: number[]]

/** Number of replies with one verification level. */
export type VerifiedAddition = readonly [
  keyId: string,
  accountId: string,
  minute: number,
  network: string,
  level: string,
  requests: number,
]

/** `month`: start of the month, milliseconds since 1970. */
export type TransferAddition = readonly [
  keyId: string,
  month: number,
  bytesIn: number,
  bytesOut: number,
]

/** `time`: milliseconds since 1970. */
export type KeyUse = readonly [keyId: string, time: number]

const minuteMs = 60_000
const place = ['key', 'account', 'minute']
const call = ['face', 'network', 'method']
const sums = ['requests', 'units', 'bytes_in', 'bytes_out']
const texts = new Set([...place.slice(0, 2), ...call, 'outcome', 'reason', 'level'])

/** One SQL text per engine, which yields the table `counted`: the rows of `?1`, arrays as JSON. */
type Texts = { readonly sql: string; readonly postgres: string }

function withCounted(columns: readonly string[], rest: (engine: keyof Texts) => string): Texts {
  // JSONB is parsed once per row instead of once per value.
  const values = columns.map((column, at) => `value ->> ${at} AS ${column}`)
  const typed = columns.map(
    (column, at) => `(value ->> ${at})${texts.has(column) ? '' : '::bigint'} AS ${column}`,
  )
  return {
    sql: `WITH parsed AS MATERIALIZED (SELECT jsonb(value) AS value FROM json_each(?1)),
      counted AS MATERIALIZED (SELECT ${values.join(', ')} FROM parsed)${rest('sql')}`,
    postgres: `WITH counted AS MATERIALIZED (SELECT ${typed.join(', ')}
      FROM jsonb_array_elements(?1::text::jsonb) AS parsed (value))${rest('postgres')}`,
  }
}

/** Adds `counts` to the rows of `table` with equal `names`. */
function addUpSql(table: string, names: readonly string[], counts: readonly string[]): Texts {
  const shared = names.join(', ')
  const totals = counts.map((count) => `sum(${count})`).join(', ')
  const updates = counts.map((count) => `${count} = ${table}.${count} + excluded.${count}`)
  const start = `minute - minute % (span * ${minuteMs})`
  // Rows of two minutes belong to the same hour row, which a PostgreSQL statement may change only once.
  const added = {
    sql: `SELECT holder, span, ${start}, ${shared}, ${counts.join(', ')} FROM held CROSS JOIN spans WHERE true`,
    postgres: `SELECT holder, span, ${start}, ${shared}, ${totals} FROM held CROSS JOIN spans
      GROUP BY holder, span, ${start}, ${shared}`,
  }
  return withCounted(
    [...place, ...names, ...counts],
    (engine) => `,
    held AS (
      SELECT key AS holder, minute, ${shared}, ${counts.join(', ')} FROM counted
      UNION ALL SELECT '@' || account, minute, ${shared}, ${totals} FROM counted GROUP BY account, minute, ${shared}
      UNION ALL SELECT '${holders.all}', minute, ${shared}, ${totals} FROM counted GROUP BY minute, ${shared}),
    spans (span) AS (VALUES (${Object.values(spans).join('), (')}))
    INSERT INTO ${table} (holder, span, start, ${shared}, ${counts.join(', ')})
    ${added[engine]}
    ON CONFLICT (holder, span, start, ${shared}) DO UPDATE SET ${updates.join(', ')}`,
  )
}

const usageTexts = addUpSql('usage', [...call, 'outcome', 'reason', 'status'], sums)
const latencyTexts = addUpSql('latency', [...call, 'part'], latencyColumns)
const verifiedTexts = addUpSql('verified', ['network', 'level'], ['requests'])
const dayOf = {
  sql: `date(max(day) / 1000, 'unixepoch')`,
  postgres: `to_char(to_timestamp(max(day) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
} as const
const lastUsedTexts = withCounted(
  ['key', 'day'],
  (engine) => `
  UPDATE api_key SET last_used_day = used.day
  FROM (SELECT key, ${dayOf[engine]} AS day FROM counted GROUP BY key) AS used
  WHERE id = used.key AND (last_used_day IS NULL OR last_used_day < used.day)`,
)
const transferTexts = withCounted(
  ['key', 'began', 'up', 'down'],
  () => `
  INSERT INTO transfer (key_id, month, bytes_in, bytes_out)
  SELECT key, began, sum(up), sum(down) FROM counted WHERE true GROUP BY key, began
  ON CONFLICT (key_id, month) DO UPDATE SET bytes_in = transfer.bytes_in + excluded.bytes_in,
    bytes_out = transfer.bytes_out + excluded.bytes_out`,
)

export function addUsage(flush: {
  readonly usage: readonly UsageAddition[]
  readonly latencies: readonly LatencyAddition[]
  readonly verified: readonly VerifiedAddition[]
  readonly transfers: readonly TransferAddition[]
  readonly keyUses: readonly KeyUse[]
}): readonly Statement[] {
  return [
    statement(usageTexts, flush.usage),
    statement(latencyTexts, flush.latencies),
    statement(verifiedTexts, flush.verified),
    statement(transferTexts, flush.transfers),
    statement(lastUsedTexts, flush.keyUses),
  ]
}

function statement(of: Texts, rows: readonly (readonly (string | number)[])[]): Statement {
  return { ...of, parameters: [JSON.stringify(rows)] }
}
