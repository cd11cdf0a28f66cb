// Usage and storage functions for admin operations.
// Tested by test/admin/admin-usage.test.ts
import type { StorageSums } from '../../../ipfs/pins/account-storage.ts'
import type { KeyUsage } from '../../../access/usage/key-usage.ts'
import type { UsageFeed } from '../../../access/usage/usage-feed.ts'
import type { UsageLines } from '../../../access/usage/usage-lines.ts'
import type { UsageReports } from '../../../access/usage/usage-report.ts'

export type UsageView = {
  readonly report: UsageReports['report']
  readonly list: UsageLines['list']
  readonly listKeys: (accountId: string) => Promise<readonly KeyUsage[]>
  /** Null if no server runs: a command on the data folder. */
  readonly follow: UsageFeed['follow'] | null
  readonly storageOf: (accountId: string) => Promise<StorageSums>
}
