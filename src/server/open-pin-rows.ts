// Pins and storage for admin operations.
// Tested by test/admin-files.test.ts
import type { Database } from '../db/sqlite.ts'
import type { PinRows } from '../admin/admin-operation.ts'
import { storedBytes } from '../ipfs/pins/account-storage.ts'
import { listPins } from '../ipfs/pins/pin-list.ts'
import { listStorage } from '../ipfs/pins/storage-rows.ts'

export function openPinRows(db: Database): PinRows {
  return {
    list: (accountId, from) => listPins(db, accountId, from),
    stored: (accountId) => storedBytes(db, accountId),
    storage: () => listStorage(db),
  }
}
