// What an account keeps, as it is counted: each block once, however many of its roots reach it, framing included.
// Kept exact by db/storage-triggers.ts.
import type { Database } from '../../db/sqlite.ts'

export type AccountStorage = { readonly blocks: number; readonly bytes: number }

const nothing: AccountStorage = { blocks: 0, bytes: 0 }

/** As of the last commit: what is on its way in does not count yet. */
export function storedBytes(database: Database, accountId: string): AccountStorage {
  const sql = 'SELECT blocks, bytes FROM account_storage WHERE account_id = ?'
  return database.get<AccountStorage>(sql, [accountId]) ?? nothing
}

/** `logicalBytes`: of everything below each pin, as if nothing were shared; `physicalBytes`: each block once. */
export type StorageSums = {
  readonly pins: number
  readonly blocks: number
  readonly logicalBytes: number
  readonly physicalBytes: number
}

/** What an account keeps, with its pins: costs a read of each of them. */
export function sumStorage(database: Database, accountId: string): StorageSums {
  const { blocks, bytes } = storedBytes(database, accountId)
  const sql = `SELECT count(*) AS pins, coalesce(sum(root.bytes), 0) AS logicalBytes
    FROM pin LEFT JOIN root ON root.id = pin.root WHERE pin.account_id = ?`
  const pinned = database.get<{ pins: number; logicalBytes: number }>(sql, [accountId])
  return {
    pins: pinned?.pins ?? 0,
    blocks,
    logicalBytes: pinned?.logicalBytes ?? 0,
    physicalBytes: bytes,
  }
}
