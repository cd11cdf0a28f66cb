// What accounts keep, and what all of it together takes: contents that several keep are there once.
// Tested by test/gc.test.ts
import { findAll, findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { sumBlocks } from '../../tables/block-scans.ts'
import { type AccountStorageRow, listStorage as listStorageRows } from '../../tables/storage.ts'

export type StorageRows = {
  readonly accounts: readonly AccountStorageRow[]
  /** All blocks of the instance, unreferenced ones too; `bytes`: as they are stored. */
  readonly stored: { readonly blocks: number; readonly bytes: number }
}

/** Accounts that keep nothing are left out. */
export function listStorage(db: Database): StorageRows {
  const accounts = findAll(db, listStorageRows())
  const stored = findOne(db, sumBlocks())
  return { accounts, stored: stored ?? { blocks: 0, bytes: 0 } }
}
