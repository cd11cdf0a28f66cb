// What accounts keep, and what all of it together takes: contents that several keep are there once.
// Tested by test/gc.test.ts
import type { Database } from '../../db/sqlite.ts'

export type StorageRows = {
  readonly accounts: readonly {
    readonly accountId: string
    readonly account: string
    readonly pins: number
    /** Each block once, as it is charged. */
    readonly blocks: number
    readonly bytes: number
    /** Of everything below each pin, as if nothing were shared. */
    readonly logicalBytes: number
  }[]
  /** All blocks of the instance, unreferenced ones too; `bytes`: as they are stored. */
  readonly stored: { readonly blocks: number; readonly bytes: number }
}

/** Accounts that keep nothing are left out. */
export function listStorage(db: Database): StorageRows {
  const accounts = db.all<StorageRows['accounts'][number]>(
    `SELECT account.id AS accountId, account.name AS account, (SELECT count(*) FROM pin WHERE account_id = account.id) AS pins,
        account_storage.blocks AS blocks, account_storage.bytes AS bytes,
        (SELECT coalesce(sum(root.bytes), 0) FROM pin JOIN root ON root.id = pin.root
          WHERE pin.account_id = account.id) AS logicalBytes
      FROM account_storage JOIN account ON account.id = account_storage.account_id
      WHERE account_storage.blocks > 0 ORDER BY account.name`,
  )
  const stored = db.get<StorageRows['stored']>(
    'SELECT count(*) AS blocks, coalesce(sum(bytes), 0) AS bytes FROM block WHERE file > 0',
  )
  return { accounts, stored: stored ?? { blocks: 0, bytes: 0 } }
}
