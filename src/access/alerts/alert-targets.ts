// Recipients of an account's limit alerts: mail addresses and webhooks.
// Tested by src/access/alerts/alert-watch.test.ts
import type { Rows } from '../../db/rows.ts'
import { findAlertTargets, upsertAlertTargets } from '../../tables/alerts.ts'

export type AlertTargets = {
  readonly emails: readonly string[]
  /** URLs. */
  readonly webhooks: readonly string[]
}

export type AlertTargetRows = {
  /** Empty lists for an account that named none. */
  get(accountId: string): Promise<AlertTargets>
  set(accountId: string, targets: AlertTargets): Promise<void>
}

export function createAlertTargetRows({ rows }: { readonly rows: Rows }): AlertTargetRows {
  return {
    async get(accountId) {
      const row = await rows.first(findAlertTargets(accountId))
      if (row === null) return { emails: [], webhooks: [] }
      return {
        emails: JSON.parse(row.emails) as string[],
        webhooks: JSON.parse(row.webhooks) as string[],
      }
    },
    async set(accountId, { emails, webhooks }) {
      const row = { emails: JSON.stringify(emails), webhooks: JSON.stringify(webhooks) }
      await rows.write([upsertAlertTargets(accountId, row)])
    },
  }
}
