// Usage for admin operations: in a server including counts in memory, otherwise from the database alone.
// Tested by test/admin-usage.test.ts
import type { Clock } from '../base/clock.ts'
import type { Rows } from '../db/rows.ts'
import type { UsageView } from '../admin/resources/usage/usage-view.ts'
import { sumStorage } from '../ipfs/pins/account-storage.ts'
import { createUsageFeed } from '../access/usage/usage-feed.ts'
import { createUsageLines } from '../access/usage/usage-lines.ts'
import { createUsageReports } from '../access/usage/usage-report.ts'
import type { Usage, UsageRead } from '../access/usage/usage.ts'

/** `usage`: null without a meter. */
export function openUsageView(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly usage: Usage | null
}): UsageView {
  const { rows, clock, usage } = parts
  const ofDatabase: UsageRead = async (queries) => ({
    rows: await rows.snapshot(queries),
    held: [],
  })
  const read = usage?.read ?? ofDatabase
  return {
    report: createUsageReports({ clock, read }).report,
    list: createUsageLines({ read }).list,
    follow: usage === null ? null : createUsageFeed({ usage, clock }).follow,
    storageOf: (accountId) => sumStorage(rows, accountId),
  }
}
