// Table `denial`: content that the operator denied with an admin operation. Triggers raise the revision `denials`.
// Tested by test/files/deny.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type DenialRow = {
  /** `/ipfs/<cid>` or `/ipfs/<cid>/<path>`, as in a deny list. */
  readonly rule: string
  /** 410 or 451. */
  readonly status: number
  readonly reason: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
}

/** The oldest first. */
export function listDenials(): Query<DenialRow> {
  return query('SELECT rule, status, reason, created FROM denial ORDER BY created, rule')
}

export function countDenials(): Query<{ readonly count: number }> {
  return query('SELECT count(*) AS count FROM denial')
}

export function findDenial(rule: string): Query<DenialRow> {
  return query('SELECT rule, status, reason, created FROM denial WHERE rule = ?', [rule])
}

/** An existing rule gets the new status and reason. */
export function putDenial({ rule, status, reason, created }: DenialRow): Statement {
  return {
    sql: `INSERT INTO denial (rule, status, reason, created) VALUES (?, ?, ?, ?)
      ON CONFLICT (rule) DO UPDATE SET status = excluded.status, reason = excluded.reason`,
    parameters: [rule, status, reason, created],
  }
}

export function deleteDenial(rule: string): Statement {
  return { sql: 'DELETE FROM denial WHERE rule = ?', parameters: [rule] }
}
