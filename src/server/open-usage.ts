// Usage for admin operations: in a server including counts in memory, otherwise from the database alone.
// Tested by test/admin-usage.test.ts
import type { Clock } from '../base/clock.ts'
import type { Rows } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'
import type { UsageView } from '../admin/resources/usage/usage-view.ts'
import { sumStorage } from '../ipfs/pins/account-storage.ts'
import { createUsageFeed } from '../access/usage/usage-feed.ts'
import { createUsageLines } from '../access/usage/usage-lines.ts'
import { createUsageReports } from '../access/usage/usage-report.ts'
import type { Usage } from '../access/usage/usage.ts'

/** `usage`: null without a meter. */
export function openUsageView(parts: {
  readonly db: Database
  readonly rows: Rows
  readonly clock: Clock
  readonly usage: Usage | null
}): UsageView {
  const { db, rows, clock, usage } = parts
  const read: Usage['read'] = usage === null ? (run) => db.together(() => run([])) : usage.read
  return {
    report: createUsageReports({ db, clock, read }).report,
    list: createUsageLines({ db, read }).list,
    follow: usage === null ? null : createUsageFeed({ usage, clock }).follow,
    storageOf: (accountId) => sumStorage(rows, accountId),
  }
}
