// Table `audit`: one row per change by an admin operation; rows are never updated.
// Tested by src/access/people/audit-log.test.ts
import { placeholders, query, type Query } from '../db/rows.ts'
import type { SqlValue, Statement } from '../db/writer.ts'

export type AuditRow = {
  readonly id: number
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  /** ID of a person, `local` or `anyone`. */
  readonly actor: string
  readonly actor_name: string
  readonly account_id: string | null
  readonly action: string
  readonly target: string | null
  /** Name of the target at that time; null: it has none, or an earlier version stored none. */
  readonly target_name: string | null
  /** JSON, without secrets. */
  readonly changes: string
  /** JSON: the previous values; null: not recorded. */
  readonly previous: string | null
}

/** Null: no restriction. */
export type AuditFilter = {
  readonly accountId: string | null
  readonly actor: string | null
  readonly actions: readonly string[] | null
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly from: number | null
  /** Exclusive. */
  readonly until: number | null
  /** Substrings of names, IDs, operation or values; one match suffices, ASCII letters match in any case. */
  readonly texts: readonly string[] | null
}

/** IDs of rows. */
export type AuditRange = {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly below: number
}

const columns =
  'id, time, actor, actor_name, account_id, action, target, target_name, changes, previous'

/** The text that `texts` of a filter search. Line feeds separate the members: no text contains one. */
const searched = [
  'actor',
  'actor_name',
  'action',
  "coalesce(target, '')",
  "coalesce(target_name, '')",
  'changes',
  "coalesce(previous, '')",
].join(" || '\n' || ")

/** The newest first. Reads only rows of the range. */
export function listAudit(filter: AuditFilter, range: AuditRange, limit: number): Query<AuditRow> {
  const { accountId, actor, actions, from, until, texts } = filter
  const conditions: (readonly [sql: string, values: readonly SqlValue[]])[] = [
    ['id >= ? AND id < ?', [range.from, range.below]],
  ]
  if (accountId !== null) conditions.push(['account_id = ?', [accountId]])
  if (actor !== null) conditions.push(['actor = ?', [actor]])
  if (actions !== null) conditions.push([`action IN (${placeholders(actions)})`, actions])
  if (from !== null) conditions.push(['time >= ?', [from]])
  if (until !== null) conditions.push(['time < ?', [until]])
  if (texts !== null) {
    const like = texts.map(() => String.raw`${searched} LIKE ? ESCAPE '\'`).join(' OR ')
    const parts = texts.map((text) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
    conditions.push([`(${like})`, parts])
  }
  const where = conditions.map(([sql]) => sql).join(' AND ')
  const sql = `SELECT ${columns} FROM audit WHERE ${where} ORDER BY id DESC LIMIT ?`
  const values = [...conditions.flatMap(([, own]) => own), limit]
  // SQLite's LIKE ignores the case of ASCII letters.
  return query(sql, values, texts === null ? undefined : sql.replaceAll(' LIKE ', ' ILIKE '))
}

/** Returns one row. Null: no entries. */
export function auditBounds(): Query<{
  readonly oldest: number | null
  readonly newest: number | null
}> {
  return query(
    'SELECT (SELECT min(id) FROM audit) AS oldest, (SELECT max(id) FROM audit) AS newest',
    [],
  )
}

/** Ordered by ID, after `id`. */
export function listAuditAfter(id: number, limit: number): Query<AuditRow> {
  return query(`SELECT ${columns} FROM audit WHERE id > ? ORDER BY id LIMIT ?`, [id, limit])
}

/** `id` null: no entries. */
export function newestAudit(): Query<{ id: number | null }> {
  return query('SELECT max(id) AS id FROM audit', [])
}

export function insertAudit(row: Omit<AuditRow, 'id'>): Statement {
  return {
    sql: `INSERT INTO audit
        (time, actor, actor_name, account_id, action, target, target_name, changes, previous)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    parameters: [
      row.time,
      row.actor,
      row.actor_name,
      row.account_id,
      row.action,
      row.target,
      row.target_name,
      row.changes,
      row.previous,
    ],
  }
}

/** Deletes rows older than `time`, and all but the newest `rowsMax`. */
export function deleteOldAudit(time: number, rowsMax: number): readonly Statement[] {
  return [
    { sql: 'DELETE FROM audit WHERE time < ?', parameters: [time] },
    {
      sql: 'DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?',
      parameters: [rowsMax],
    },
  ]
}
