// Tables `alert_targets` (recipients of alerts of an account) and `alert_told` (alerts that were sent).
// Tested by src/access/alerts/alert-watch.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** JSON arrays: mail addresses and URLs. */
export type AlertTargetsRow = { readonly emails: string; readonly webhooks: string }

/** A limit of an account or of a key in one period. */
type AlertPlace = {
  readonly accountId: string
  readonly what: string
  /** When the day or month began, milliseconds since 1970 UTC. */
  readonly period: number
}

export function findAlertTargets(accountId: string): Query<AlertTargetsRow> {
  return query('SELECT emails, webhooks FROM alert_targets WHERE account_id = ?', [accountId])
}

export function upsertAlertTargets(
  accountId: string,
  { emails, webhooks }: AlertTargetsRow,
): Statement {
  return {
    sql: `INSERT INTO alert_targets (account_id, emails, webhooks) VALUES (?, ?, ?)
      ON CONFLICT (account_id) DO UPDATE SET emails = excluded.emails, webhooks = excluded.webhooks`,
    parameters: [accountId, emails, webhooks],
  }
}

/** `level`: percent. */
export function listSentLevels({
  accountId,
  what,
  period,
}: AlertPlace): Query<{ readonly level: number }> {
  return query('SELECT level FROM alert_told WHERE account_id = ? AND what = ? AND period = ?', [
    accountId,
    what,
    period,
  ])
}

export function insertSentLevels(
  { accountId, what, period }: AlertPlace,
  levels: readonly number[],
  time: number,
): Statement {
  return {
    sql: `INSERT INTO alert_told (account_id, what, period, level, told) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
    parameters: [],
    rows: levels.map((level) => [accountId, what, period, level, time]),
  }
}

export function deleteOldSentLevels(accountId: string, time: number): Statement {
  return {
    sql: 'DELETE FROM alert_told WHERE account_id = ? AND told < ?',
    parameters: [accountId, time],
  }
}
