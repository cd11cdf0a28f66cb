// Tables `usage` (sums of calls), `latency` (number of calls by duration), `verified` (replies by verification level) and
// `transfer` (bytes of a key in a month). A row of the first three belongs to a holder and to an interval, which has a span and a
// start.
// Tested by src/access/usage/usage-report.test.ts
import { query, type Query } from '../db/rows.ts'
import { latencyColumns } from '../db/migrations.ts'
import type { SqlValue, Statement } from '../db/writer.ts'

/** Lengths of intervals in minutes, as in the column `span`. */
export const spans = { minute: 1, hour: 60, day: 1440 } as const

/** Holder of a row: a key by its ID, an account, or all. */
export const holders = {
  account: (accountId: string): string => `@${accountId}`,
  all: '*',
} as const

/** Intervals of one span. `until`: exclusive, milliseconds since 1970; null: no end. */
export type UsageRange = {
  readonly span: number
  readonly from: number
  readonly until: number | null
}

/** Only rows with these values; null: any. */
export type UsageFilter = {
  readonly face: 'rpc' | 'files' | null
  readonly network: string | null
  readonly method: string | null
}

export const everyCall: UsageFilter = { face: null, network: null, method: null }

/** Several holders: the keys of an account, or all accounts. */
export type HolderGroup = { readonly accountId: string } | { readonly all: true }

export type UsageSumsRow = {
  readonly requests: number
  /** Number of these calls that failed. */
  readonly failed: number
  readonly units: number
  readonly bytes_in: number
  readonly bytes_out: number
}

export type LatencyCountsRow = {
  /** Selects the sixteen latency steps that are counted. */
  readonly part: number
  /** Counts of the sixteen columns, in order, as JSON. */
  readonly counts: string
}

export type VerifiedRow = {
  readonly network: string
  readonly level: string
  readonly requests: number
}

type StartRow = { readonly start: number }
type HolderRow = { readonly holder: string }
type MethodRow = {
  readonly face: 'rpc' | 'files'
  readonly network: string
  readonly method: string
}
type OutcomeRow = {
  readonly outcome: string
  readonly reason: string
  readonly status: number
}

export type UsageLineRow = StartRow &
  MethodRow &
  OutcomeRow &
  Omit<UsageSumsRow, 'failed'> & {
    readonly account_id: string
    readonly key_id: string
  }

export type TransferRow = { readonly bytes_in: number; readonly bytes_out: number }

const sums = `sum(requests) AS requests, sum(CASE outcome WHEN 'ok' THEN 0 ELSE requests END) AS failed, sum(units) AS units,
  sum(bytes_in) AS bytes_in, sum(bytes_out) AS bytes_out`
const counts = `part, '[' || ${latencyColumns.map((column) => `sum(${column})`).join(" || ',' || ")} || ']' AS counts`
const farFuture = Number.MAX_SAFE_INTEGER

/** SQL that follows the other conditions. */
function conditionsOf({ face, network, method }: UsageFilter): {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
} {
  const filters = Object.entries({ face, network, method }).filter(([, value]) => value !== null)
  return {
    sql: filters.map(([name]) => ` AND ${name} = ?`).join(''),
    parameters: filters.map(([, value]) => value),
  }
}

/** The rows of `table` in the range, grouped by the columns `names`. */
function ofRange<Row extends object>(
  table: 'usage' | 'latency',
  names: string,
  holder: string,
  { span, from, until }: UsageRange,
  filter: UsageFilter,
): Query<Row> {
  const [added, group] = table === 'usage' ? [sums, names] : [counts, `${names}, part`]
  const conditions = conditionsOf(filter)
  return query(
    `SELECT ${names}, ${added} FROM ${table} WHERE holder = ? AND span = ? AND start >= ? AND start < ?
      ${conditions.sql} GROUP BY ${group}`,
    [holder, span, from, until ?? farFuture, ...conditions.parameters],
  )
}

export function sumUsageByStart(
  holder: string,
  range: UsageRange,
  filter: UsageFilter = everyCall,
): Query<StartRow & UsageSumsRow> {
  return ofRange('usage', 'start', holder, range, filter)
}

export function countLatencyByStart(
  holder: string,
  range: UsageRange,
  filter: UsageFilter = everyCall,
): Query<StartRow & LatencyCountsRow> {
  return ofRange('latency', 'start', holder, range, filter)
}

export function sumUsageByOutcome(
  holder: string,
  range: UsageRange,
  filter: UsageFilter = everyCall,
): Query<MethodRow & OutcomeRow & UsageSumsRow> {
  return ofRange('usage', 'face, network, method, outcome, reason, status', holder, range, filter)
}

export function countLatencyByMethod(
  holder: string,
  range: UsageRange,
  filter: UsageFilter = everyCall,
): Query<MethodRow & LatencyCountsRow> {
  return ofRange('latency', 'face, network, method', holder, range, filter)
}

/** `network` null: all networks. */
export function sumVerified(
  holder: string,
  { span, from, until }: UsageRange,
  network: string | null = null,
): Query<VerifiedRow> {
  return query(
    `SELECT network, level, sum(requests) AS requests FROM verified
      WHERE holder = ? AND span = ? AND start >= ? AND start < ?${network === null ? '' : ' AND network = ?'}
      GROUP BY network, level`,
    [holder, span, from, until ?? farFuture, ...(network === null ? [] : [network])],
  )
}

const splitColumns = {
  network: 'face, network',
  method: 'method',
  status: 'status',
  reason: 'outcome, reason',
  outcome: 'outcome',
} as const

/** Rows contain only the start and the columns of `by`. */
export function splitUsageByStart(
  holder: string,
  range: UsageRange,
  by: keyof typeof splitColumns,
  filter: UsageFilter = everyCall,
): Query<StartRow & Partial<MethodRow & OutcomeRow> & UsageSumsRow> {
  return ofRange('usage', `start, ${splitColumns[by]}`, holder, range, filter)
}

/** `sql`: a SELECT that returns the holders of the group in the column `holder`. */
function holdersOf(group: HolderGroup): { readonly sql: string; readonly parameters: SqlValue[] } {
  if ('accountId' in group) {
    const sql = 'SELECT id AS holder FROM api_key WHERE account_id = ?'
    return { sql, parameters: [group.accountId] }
  }
  return { sql: `SELECT '@' || id AS holder FROM account`, parameters: [] }
}

function joined(table: 'usage' | 'latency', sql: string): string {
  return `FROM (${sql}) AS below CROSS JOIN ${table} ON ${table}.holder = below.holder
    WHERE span = ? AND start >= ?`
}

export function sumUsageByHolder(
  group: HolderGroup,
  { span, from, until }: UsageRange,
  filter: UsageFilter = everyCall,
): Query<HolderRow & UsageSumsRow> {
  const { sql, parameters } = holdersOf(group)
  const conditions = conditionsOf(filter)
  return query(
    `SELECT usage.holder AS holder, ${sums} ${joined('usage', sql)} AND start < ?${conditions.sql}
      GROUP BY usage.holder`,
    [...parameters, span, from, until ?? farFuture, ...conditions.parameters],
  )
}

export function countLatencyByHolder(
  group: HolderGroup,
  { span, from, until }: UsageRange,
  filter: UsageFilter = everyCall,
): Query<HolderRow & LatencyCountsRow> {
  const { sql, parameters } = holdersOf(group)
  const conditions = conditionsOf(filter)
  return query(
    `SELECT latency.holder AS holder, ${counts} ${joined('latency', sql)} AND start < ?${conditions.sql}
      GROUP BY latency.holder, part`,
    [...parameters, span, from, until ?? farFuture, ...conditions.parameters],
  )
}

export function splitUsageByHolder(
  group: HolderGroup,
  { span, from, until }: UsageRange,
  filter: UsageFilter = everyCall,
): Query<StartRow & HolderRow & UsageSumsRow> {
  const { sql, parameters } = holdersOf(group)
  const conditions = conditionsOf(filter)
  return query(
    `SELECT usage.holder AS holder, start, ${sums} ${joined('usage', sql)} AND start < ?${conditions.sql}
      GROUP BY usage.holder, start`,
    [...parameters, span, from, until ?? farFuture, ...conditions.parameters],
  )
}

/** The start of the last interval at or after `from`, for each holder that has one. */
export function findLastUsageByHolder(
  group: HolderGroup,
  { span, from }: Pick<UsageRange, 'span' | 'from'>,
): Query<HolderRow & StartRow> {
  const { sql, parameters } = holdersOf(group)
  return query(
    `SELECT usage.holder AS holder, max(start) AS start ${joined('usage', sql)} GROUP BY usage.holder`,
    [...parameters, span, from],
  )
}

/** Rows of keys, unordered, at most `limit`. */
export function listUsageOfKeys(
  scope: HolderGroup | { readonly keyId: string },
  { span, from, until, limit }: UsageRange & { readonly limit: number },
  filter: UsageFilter = everyCall,
): Query<UsageLineRow> {
  const [where, parameters] =
    'keyId' in scope
      ? ['WHERE k.id = ?', [scope.keyId]]
      : 'accountId' in scope
        ? ['WHERE k.account_id = ?', [scope.accountId]]
        : ['', []]
  const conditions = conditionsOf(filter)
  return query(
    `SELECT u.start AS start, k.account_id AS account_id, k.id AS key_id, u.face AS face, u.network AS network,
        u.method AS method, u.outcome AS outcome, u.reason AS reason, u.status AS status,
        u.requests AS requests, u.units AS units, u.bytes_in AS bytes_in, u.bytes_out AS bytes_out
      FROM (SELECT id, account_id FROM api_key AS k ${where}) AS k
      CROSS JOIN usage AS u ON u.holder = k.id AND u.span = ? AND u.start >= ? AND u.start < ?${conditions.sql} LIMIT ?`,
    [...parameters, span, from, until ?? farFuture, ...conditions.parameters, limit],
  )
}

const unitsSql = `SELECT coalesce(sum(units), 0) AS units FROM usage WHERE holder = ? AND span = ${spans.day} AND start = ?`

/** Returns one row. `day`: start of the day. */
export function sumUnitsOfDay(holder: string, day: number): Query<{ readonly units: number }> {
  return query(unitsSql, [holder, day])
}

const transferSql = 'SELECT bytes_in, bytes_out FROM transfer WHERE key_id = ? AND month = ?'

/** `month`: start of the month. */
export function findTransfer(keyId: string, month: number): Query<TransferRow> {
  return query(transferSql, [keyId, month])
}

/** Returns one row; null: no holder follows `after`. */
export function findHolderAfter(after: string): Query<{ readonly holder: string | null }> {
  return query('SELECT min(holder) AS holder FROM usage WHERE holder > ?', [after])
}

/** Returns one row; null: the holder has no row of this span. */
export function findOldestUsage(
  holder: string,
  span: number,
): Query<{ readonly start: number | null }> {
  return query('SELECT min(start) AS start FROM usage WHERE holder = ? AND span = ?', [
    holder,
    span,
  ])
}

/** `until`: exclusive. */
export function deleteUsage(holder: string, span: number, until: number): readonly Statement[] {
  return ['usage', 'latency', 'verified'].map((table) => ({
    sql: `DELETE FROM ${table} WHERE holder = ? AND span = ? AND start < ?`,
    parameters: [holder, span, until],
  }))
}
