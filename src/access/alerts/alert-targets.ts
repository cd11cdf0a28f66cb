// Recipients of an account's limit alerts: mail addresses and webhooks.
// Tested by src/access/alerts/alert-watch.test.ts
import { findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import { findAlertTargets, setAlertTargets } from '../../tables/alerts.ts'

export type AlertTargets = {
  readonly emails: readonly string[]
  /** URLs. */
  readonly webhooks: readonly string[]
}

export type AlertTargetRows = {
  /** Empty lists for an account that named none. */
  get(accountId: string): AlertTargets
  set(accountId: string, targets: AlertTargets): Promise<void>
}

export function createAlertTargetRows({
  db,
  writer,
}: {
  readonly db: Database
  readonly writer: Writer
}): AlertTargetRows {
  return {
    get(accountId) {
      const row = findOne(db, findAlertTargets(accountId))
      if (row === null) return { emails: [], webhooks: [] }
      return {
        emails: JSON.parse(row.emails) as string[],
        webhooks: JSON.parse(row.webhooks) as string[],
      }
    },
    async set(accountId, { emails, webhooks }) {
      const row = { emails: JSON.stringify(emails), webhooks: JSON.stringify(webhooks) }
      await writer.write([setAlertTargets(accountId, row)])
    },
  }
}
