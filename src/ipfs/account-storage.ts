// What an account keeps, as it is counted: each block once, however many of its roots reach it, framing included
// (contract-files 8.6). Kept exact by db/storage-triggers.ts.
import type { Database } from '../db/sqlite.ts'

export type AccountStorage = { readonly blocks: number; readonly bytes: number }

const nothing: AccountStorage = { blocks: 0, bytes: 0 }

/** As of the last commit: what is on its way in does not count yet. */
export function storedBytes(database: Database, accountId: string): AccountStorage {
  const sql = 'SELECT blocks, bytes FROM account_storage WHERE account_id = ?'
  return database.get<AccountStorage>(sql, [accountId]) ?? nothing
}

/** Whether a root of the account reaches the block. */
export function reaches(database: Database, accountId: string, multihash: Uint8Array): boolean {
  const sql = `SELECT 1 FROM block JOIN charge ON charge.block = block.id
    JOIN account_storage ON account_storage.id = charge.storage
    WHERE block.hash = ? AND account_storage.account_id = ?`
  return database.getValue(sql, [multihash, accountId]) !== null
}
