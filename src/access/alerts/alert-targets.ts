// Recipients of an account's limit alerts: mail addresses and webhooks.
// Tested by src/access/alerts/alert-watch.test.ts
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'

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

const readSql = 'SELECT emails, webhooks FROM alert_targets WHERE account_id = ?'
const writeSql = `INSERT INTO alert_targets (account_id, emails, webhooks) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET emails = excluded.emails, webhooks = excluded.webhooks`

export function createAlertTargetRows({
  db,
  writer,
}: {
  readonly db: Database
  readonly writer: Writer
}): AlertTargetRows {
  return {
    get(accountId) {
      const row = db.get<{ emails: string; webhooks: string }>(readSql, [accountId])
      if (row === null) return { emails: [], webhooks: [] }
      return {
        emails: JSON.parse(row.emails) as string[],
        webhooks: JSON.parse(row.webhooks) as string[],
      }
    },
    async set(accountId, { emails, webhooks }) {
      const parameters = [accountId, JSON.stringify(emails), JSON.stringify(webhooks)]
      await writer.write([{ sql: writeSql, parameters }])
    },
  }
}
