// Recipients of an account's alerts: mail addresses and webhooks; and its rules on errors and latency.
// Tested by src/access/alerts/alert-watch.test.ts, src/access/alerts/rule-watch.test.ts
import type { Rows } from '../../db/rows.ts'
import { type AlertTargetsRow, findAlertTargets, upsertAlertTargets } from '../../tables/alerts.ts'

export type AlertTargets = {
  readonly emails: readonly string[]
  /** URLs. */
  readonly webhooks: readonly string[]
}

/**
 * `errors`: share of calls without an answer. `failed`: share of calls that failed on the server's side. `p95`, `p99`: latency of
 * calls that ran.
 */
export const measures = ['errors', 'failed', 'p95', 'p99'] as const
type Measure = (typeof measures)[number]

export type AlertRule = {
  readonly measure: Measure
  /** Percent of calls, or milliseconds. */
  readonly above: number
  /** Length of the window, which ends now. */
  readonly minutes: number
  /** ID of a key; null: all calls of the account. */
  readonly key: string | null
}

export type AlertSettings = AlertTargets & { readonly rules: readonly AlertRule[] }

export type AlertTargetRows = {
  /** Empty lists if the account has not configured any. */
  get(accountId: string): Promise<AlertSettings>
  set(accountId: string, settings: AlertSettings): Promise<void>
}

/** Equal for equal rules: `errors > 10 in 5 min`. Name of the rule's incident, and its text in the audit log. */
export function ruleName({ measure, above, minutes, key }: AlertRule): string {
  return `${measure} > ${above} in ${minutes} min${key === null ? '' : ` of ${key}`}`
}

export function settingsOf({ emails, webhooks, rules }: AlertTargetsRow): AlertSettings {
  return {
    emails: JSON.parse(emails) as string[],
    webhooks: JSON.parse(webhooks) as string[],
    rules: JSON.parse(rules) as AlertRule[],
  }
}

export function createAlertTargetRows({ rows }: { readonly rows: Rows }): AlertTargetRows {
  return {
    async get(accountId) {
      const row = await rows.first(findAlertTargets(accountId))
      return row === null ? { emails: [], webhooks: [], rules: [] } : settingsOf(row)
    },
    async set(accountId, { emails, webhooks, rules }) {
      const row = {
        emails: JSON.stringify(emails),
        webhooks: JSON.stringify(webhooks),
        rules: JSON.stringify(rules),
      }
      await rows.write([upsertAlertTargets(accountId, row)])
    },
  }
}
