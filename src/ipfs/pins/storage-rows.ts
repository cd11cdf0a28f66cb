// What accounts keep, and what all of it together takes: contents that several keep are there once.
// Tested by test/gc.test.ts
import type { Rows } from '../../db/rows.ts'
import { sumBlocks } from '../../tables/block-scans.ts'
import { type AccountStorageRow, listStorage as listStorageRows } from '../../tables/storage.ts'

export type StorageRows = {
  readonly accounts: readonly AccountStorageRow[]
  /** All blocks of the instance, unreferenced ones too; `bytes`: as they are stored. */
  readonly stored: { readonly blocks: number; readonly bytes: number }
}

/** Accounts that keep nothing are left out. */
export async function listStorage(rows: Rows): Promise<StorageRows> {
  const accounts = await rows.find(listStorageRows())
  const stored = await rows.first(sumBlocks())
  return { accounts, stored: stored ?? { blocks: 0, bytes: 0 } }
}
