// What an account keeps, as it is counted: each block once, however many of its roots reach it, framing included.
// Kept exact by db/storage-triggers.ts.
import type { Rows } from '../../db/rows.ts'
import { findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { findStorage, sumPins } from '../../tables/storage.ts'

export type AccountStorage = { readonly blocks: number; readonly bytes: number }

const nothing: AccountStorage = { blocks: 0, bytes: 0 }

/** As of the last commit: what is on its way in does not count yet. */
export function storedBytes(database: Database, accountId: string): AccountStorage {
  return findOne(database, findStorage(accountId)) ?? nothing
}

/** As `storedBytes`. */
export async function readStorage(rows: Rows, accountId: string): Promise<AccountStorage> {
  return (await rows.first(findStorage(accountId))) ?? nothing
}

/** `logicalBytes`: of everything below each pin, as if nothing were shared; `physicalBytes`: each block once. */
export type StorageSums = {
  readonly pins: number
  readonly blocks: number
  readonly logicalBytes: number
  readonly physicalBytes: number
}

/** What an account keeps, with its pins: costs a read of each of them. */
export async function sumStorage(rows: Rows, accountId: string): Promise<StorageSums> {
  const { blocks, bytes } = await readStorage(rows, accountId)
  const pinned = await rows.first(sumPins(accountId))
  return {
    pins: pinned?.pins ?? 0,
    blocks,
    logicalBytes: pinned?.logicalBytes ?? 0,
    physicalBytes: bytes,
  }
}
