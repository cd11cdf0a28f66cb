// What an account keeps, as it is counted: each block once, however many of its roots reach it, framing included
// (contract-files 8.6). Kept exact by db/storage-triggers.ts.
import type { Database } from '../../db/sqlite.ts'

export type AccountStorage = { readonly blocks: number; readonly bytes: number }

const nothing: AccountStorage = { blocks: 0, bytes: 0 }

/** As of the last commit: what is on its way in does not count yet. */
export function storedBytes(database: Database, accountId: string): AccountStorage {
  const sql = 'SELECT blocks, bytes FROM account_storage WHERE account_id = ?'
  return database.get<AccountStorage>(sql, [accountId]) ?? nothing
}
