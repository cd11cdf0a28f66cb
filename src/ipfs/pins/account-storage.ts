// Storage of an account: each block once, however many of its roots reach it, framing included; and of all accounts together,
// where content that several accounts store counts once.
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
  /** All blocks of the instance, unreferenced ones too; `bytes`: as they are stored. */
  readonly stored: { readonly blocks: number; readonly bytes: number }
}

/** Accounts that keep nothing are left out. */
export async function listStorage(rows: Rows): Promise<StorageRows> {
  const accounts = await rows.find(listStorageRows())
  const stored = await rows.first(sumBlocks())
  return { accounts, stored: stored ?? { blocks: 0, bytes: 0 } }
}

export type AccountStorage = { readonly blocks: number; readonly bytes: number }

/** Hashes of one query. */
const hashesAtOnce = 256

const nothing: AccountStorage = { blocks: 0, bytes: 0 }

/** What requests ask about the storage of an account. */
export type StorageReads = {
  /** As of the last commit: what is on its way in does not count yet. */
  storedBytes(accountId: string): number | Promise<number>
  /** Which of the blocks a root of the account reaches, in their order. */
  storedBy(
    accountId: string,
    multihashes: readonly Uint8Array[],
  ): readonly boolean[] | Promise<readonly boolean[]>
}

/** `db`: the database of `rows`, for reads in the caller's turn; null: it is remote. */
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

/** As of the last commit: what is on its way in does not count yet. */
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
