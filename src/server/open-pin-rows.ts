// Pins and storage for admin operations.
// Tested by test/admin-files.test.ts
import type { Rows } from '../db/rows.ts'
import type { PinRows } from '../admin/admin-operation.ts'
import { listStorage, readStorage } from '../ipfs/pins/account-storage.ts'
import { listPins } from '../ipfs/pins/pin-list.ts'

export function openPinRows(rows: Rows): PinRows {
  return {
    list: (accountId, from) => listPins(rows, accountId, from),
    stored: (accountId) => readStorage(rows, accountId),
    storage: () => listStorage(rows),
  }
}
