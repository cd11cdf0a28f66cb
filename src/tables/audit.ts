// Table `audit`: one row for each change by an admin operation; rows are never updated.
// Tested by src/access/people/audit-log.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

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
  /** JSON, without secrets. */
  readonly changes: string
}

/** The newest first. `accountId` null: of all accounts. `before`: an ID, not included. */
export function listAudit(order: {
  readonly accountId: string | null
  readonly before: number
  readonly limit: number
}): Query<AuditRow> {
  return query(
    `SELECT id, time, actor, actor_name, account_id, action, target, changes
     FROM audit WHERE (account_id = ?1 OR ?1 IS NULL) AND id < ?2 ORDER BY id DESC LIMIT ?3`,
    [order.accountId, order.before, order.limit],
  )
}

/** In the order of their IDs. `id`: not included. */
export function listAuditAfter(id: number, limit: number): Query<AuditRow> {
  return query(
    `SELECT id, time, actor, actor_name, account_id, action, target, changes
     FROM audit WHERE id > ? ORDER BY id LIMIT ?`,
    [id, limit],
  )
}

/** `id` null: no entry. */
export function newestAudit(): Query<{ id: number | null }> {
  return query('SELECT max(id) AS id FROM audit', [])
}

export function insertAudit(row: Omit<AuditRow, 'id'>): Statement {
  const { time, actor, actor_name: actorName, account_id: accountId, action, target, changes } = row
  return {
    sql: `INSERT INTO audit (time, actor, actor_name, account_id, action, target, changes)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    parameters: [time, actor, actorName, accountId, action, target, changes],
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
