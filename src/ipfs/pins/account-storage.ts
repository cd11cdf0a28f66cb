// Storage of an account: each block counts once, even if several of its roots reach it, framing included. Storage of all accounts
// together: content that several accounts store counts once.
// Tested by src/ipfs/pins/storage-quota.test.ts
import { toLatin1 } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import { sumBlocks } from '../../tables/block-scans.ts'
import {
  type AccountStorageRow,
  findStorage,
  findStoredBy,
  isStoredBy,
  listStorage as listStorageRows,
  sumPins,
} from '../../tables/storage.ts'
import { findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'

export type StorageRows = {
  readonly accounts: readonly AccountStorageRow[]
  /** All blocks of the instance, including unreferenced ones; `bytes`: their stored size. */
  readonly stored: { readonly blocks: number; readonly bytes: number }
}

/** Omits accounts that store nothing. */
export async function listStorage(rows: Rows): Promise<StorageRows> {
  const accounts = await rows.find(listStorageRows())
  const stored = await rows.first(sumBlocks())
  return { accounts, stored: stored ?? { blocks: 0, bytes: 0 } }
}

export type AccountStorage = { readonly blocks: number; readonly bytes: number }

/** Hashes of one query. */
const hashesAtOnce = 256

const nothing: AccountStorage = { blocks: 0, bytes: 0 }

/** Reads about the storage of accounts that requests need. */
export type StorageReads = {
  /** As of the last commit; staged content does not count yet. */
  storedBytes(accountId: string): number | Promise<number>
  /** Whether a root of the account reaches each block, in the order of `hashes`. */
  storedBy(
    accountId: string,
    multihashes: readonly Uint8Array[],
  ): readonly boolean[] | Promise<readonly boolean[]>
}

/** `db`: the database of `rows`, for synchronous reads; null: it is remote. */
export function readStorageRows(rows: Rows, db: Database | null): StorageReads {
  if (db !== null) {
    return {
      storedBytes: (accountId) => findOne(db, findStorage(accountId))?.bytes ?? 0,
      storedBy: (accountId, multihashes) =>
        multihashes.map((hash) => isStoredBy(db, accountId, hash)),
    }
  }
  return {
    storedBytes: async (accountId) => (await readStorage(rows, accountId)).bytes,
    async storedBy(accountId, multihashes) {
      const found = new Set<string>()
      for (let at = 0; at < multihashes.length; at += hashesAtOnce) {
        const some = multihashes.slice(at, at + hashesAtOnce)
        for (const { hash } of await rows.find(findStoredBy(accountId, some))) {
          found.add(toLatin1(hash))
        }
      }
      return multihashes.map((hash) => found.has(toLatin1(hash)))
    },
  }
}

/** As of the last commit; staged content does not count yet. */
export async function readStorage(rows: Rows, accountId: string): Promise<AccountStorage> {
  return (await rows.first(findStorage(accountId))) ?? nothing
}

/** `logicalBytes`: everything below each pin, with shared blocks counted for each; `physicalBytes`: each block once. */
export type StorageSums = {
  readonly pins: number
  readonly blocks: number
  readonly logicalBytes: number
  readonly physicalBytes: number
}

/** Storage of an account, with its pins; reads each pin. */
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
