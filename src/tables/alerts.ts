// Tables `alert_targets` (recipients of an account's alerts, and its rules), `alert_told` (sent alerts on limits) and
// `alert_incident` (rules that are currently violated).
// Tested by src/access/alerts/alert-watch.test.ts, src/access/alerts/rule-watch.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** JSON arrays: mail addresses, URLs, rules on errors and latency. */
export type AlertTargetsRow = {
  readonly emails: string
  readonly webhooks: string
  readonly rules: string
}

/** A limit of an account or of a key in one period. */
type AlertPlace = {
  readonly accountId: string
  readonly what: string
  /** Start of the day or month, milliseconds since 1970 UTC. */
  readonly period: number
}

export function findAlertTargets(accountId: string): Query<AlertTargetsRow> {
  return query('SELECT emails, webhooks, rules FROM alert_targets WHERE account_id = ?', [
    accountId,
  ])
}

export function upsertAlertTargets(
  accountId: string,
  { emails, webhooks, rules }: AlertTargetsRow,
): Statement {
  return {
    sql: `INSERT INTO alert_targets (account_id, emails, webhooks, rules) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id) DO UPDATE SET emails = excluded.emails, webhooks = excluded.webhooks,
        rules = excluded.rules`,
    parameters: [accountId, emails, webhooks, rules],
  }
}

/** Accounts with rules, ordered by ID, at most `limit` after `after`. */
export function listAlertRules(
  after: string,
  limit: number,
): Query<AlertTargetsRow & { readonly account_id: string }> {
  return query(
    `SELECT account_id, emails, webhooks, rules FROM alert_targets WHERE rules <> '[]' AND account_id > ?
      ORDER BY account_id LIMIT ?`,
    [after, limit],
  )
}

/** `since`: milliseconds since 1970. */
export function listIncidents(
  accountId: string,
): Query<{ readonly what: string; readonly since: number }> {
  return query('SELECT what, since FROM alert_incident WHERE account_id = ?', [accountId])
}

/** Changes no row if another process inserted it first. */
export function insertIncident(accountId: string, what: string, since: number): Statement {
  return {
    sql: `INSERT INTO alert_incident (account_id, what, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
    parameters: [accountId, what, since],
  }
}

/** Changes no row if another process deleted it first. */
export function deleteIncident(accountId: string, what: string): Statement {
  return {
    sql: 'DELETE FROM alert_incident WHERE account_id = ? AND what = ?',
    parameters: [accountId, what],
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
