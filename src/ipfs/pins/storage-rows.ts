// What accounts keep, and what all of it together takes: contents that several keep are there once.
// Tested by test/gc.test.ts
import type { Database } from '../../db/sqlite.ts'

export type StorageRows = {
  readonly accounts: readonly {
    readonly account: string
    readonly pins: number
    readonly blocks: number
    readonly bytes: number
  }[]
  /** All blocks of the instance, those that nobody keeps any more too; `bytes`: as they are stored. */
  readonly stored: { readonly blocks: number; readonly bytes: number }
}

/** `account`: a name, or null for all. Accounts that keep nothing are left out. */
export function listStorage(db: Database, account: string | null): StorageRows {
  const one = account === null ? '' : 'AND account.name = ?'
  const accounts = db.all<StorageRows['accounts'][number]>(
    `SELECT account.name AS account, (SELECT count(*) FROM pin WHERE account_id = account.id) AS pins,
        account_storage.blocks AS blocks, account_storage.bytes AS bytes
      FROM account_storage JOIN account ON account.id = account_storage.account_id
      WHERE account_storage.blocks > 0 ${one} ORDER BY account.name`,
    account === null ? [] : [account],
  )
  const stored = db.get<StorageRows['stored']>(
    'SELECT count(*) AS blocks, coalesce(sum(bytes), 0) AS bytes FROM block WHERE file <> 0',
  )
  return { accounts, stored: stored ?? { blocks: 0, bytes: 0 } }
}
