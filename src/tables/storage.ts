// Tables `account_storage`, `holding` and `charge`: the storage of each account, each block once, framing included; identity CIDs
// and texts of pin requests count too. Triggers maintain them (db/storage-triggers.ts).
// Tested by src/ipfs/pins/roots.test.ts, src/kubo/commands/node/node-commands.test.ts
import { placeholders, query, type Query } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'

export type StorageRow = { readonly blocks: number; readonly bytes: number }

/** No row: the account never stored anything. */
export function findStorage(accountId: string): Query<StorageRow> {
  return query('SELECT blocks, bytes FROM account_storage WHERE account_id = ?', [accountId])
}

/** The account's ID in `holding` and `charge`. */
export function findStorageId(accountId: string): Query<{ readonly id: number }> {
  return query('SELECT id FROM account_storage WHERE account_id = ?', [accountId])
}

/** `logicalBytes`: sum over all pins of the blocks below each, shared blocks counted repeatedly. */
export type PinSumRow = { readonly pins: number; readonly logicalBytes: number }

/** Reads each pin of the account. Returns one row. */
export function sumPins(accountId: string): Query<PinSumRow> {
  return query(
    `SELECT count(*) AS pins, coalesce(sum(root.bytes), 0) AS "logicalBytes"
    FROM pin LEFT JOIN root ON root.id = pin.root WHERE pin.account_id = ?`,
    [accountId],
  )
}

export type AccountStorageRow = StorageRow &
  PinSumRow & {
    readonly accountId: string
    /** Name of the account. */
    readonly account: string
  }

/** Accounts that store something, ordered by name. */
export function listStorage(): Query<AccountStorageRow> {
  return query(
    `SELECT account.id AS "accountId", account.name AS account, (SELECT count(*) FROM pin WHERE account_id = account.id) AS pins,
        account_storage.blocks AS blocks, account_storage.bytes AS bytes,
        (SELECT coalesce(sum(root.bytes), 0) FROM pin JOIN root ON root.id = pin.root
          WHERE pin.account_id = account.id) AS "logicalBytes"
      FROM account_storage JOIN account ON account.id = account_storage.account_id
      WHERE account_storage.blocks > 0 OR account_storage.bytes > 0 ORDER BY account.name`,
  )
}

/** Roots that the account references, by ID after `after`. */
export function listRootsOf(
  storage: number,
  after: number,
  limit: number,
): Query<{ readonly root: number }> {
  return query(
    `SELECT root FROM holding WHERE storage = ? AND root > ? ORDER BY root LIMIT ${limit}`,
    [storage, after],
  )
}

/** `roots`: number of the account's roots that reach the block. */
export type ChargedBlockRow = {
  readonly id: number
  readonly hash: Uint8Array
  readonly roots: number
}

/** Blocks of one root that the account references, by ID after `after`. */
export function listChargedBlocks(
  storage: number,
  root: number,
  after: number,
  limit: number,
): Query<ChargedBlockRow> {
  return query(
    `SELECT block.id AS id, block.hash AS hash, charge.roots AS roots FROM closure
        CROSS JOIN block ON block.id = closure.block AND block.file <> 0
        CROSS JOIN charge ON charge.block = closure.block AND charge.storage = ?
        WHERE closure.root = ? AND closure.block > ? ORDER BY closure.block LIMIT ${limit}`,
    [storage, root, after],
  )
}

/** The roots among `roots` that the account references only once. */
export function listRootsReferencedOnce(
  accountId: string,
  roots: readonly number[],
): Query<{ readonly root: number }> {
  return query(
    `SELECT root FROM account_storage JOIN holding ON holding.storage = account_storage.id
          WHERE account_id = ? AND root IN (${placeholders(roots)}) AND claims = 1`,
    [accountId, ...roots],
  )
}

/** Blocks that the account stores through `roots` and no other root, by ID after `after`. */
export function listBlocksOnlyBelow(
  accountId: string,
  roots: readonly number[],
  after: number,
  limit: number,
): Query<{ readonly id: number; readonly hash: Uint8Array }> {
  const sql = `SELECT block.id AS id, block.hash AS hash FROM closure
          CROSS JOIN block ON block.id = closure.block
          CROSS JOIN charge ON charge.block = block.id
          CROSS JOIN account_storage ON account_storage.id = charge.storage AND account_id = ?
          WHERE closure.root IN (${placeholders(roots)}) AND closure.block > ?
          GROUP BY closure.block HAVING count(*) = charge.roots
          ORDER BY closure.block LIMIT ${limit}`
  // SQLite takes the other columns from any row of a group; PostgreSQL requires them in GROUP BY, by which SQLite would sort.
  const postgres = sql.replace(
    'GROUP BY closure.block',
    'GROUP BY closure.block, block.id, charge.block, charge.storage',
  )
  return query(sql, [accountId, ...roots, after], postgres)
}

/** The blocks that a root of the account reaches. */
export function findStoredBy(
  accountId: string,
  multihashes: readonly Uint8Array[],
): Query<{ readonly hash: Uint8Array }> {
  return query(
    `SELECT block.hash AS hash FROM block
      JOIN account_storage AS storage ON storage.account_id = ?
      JOIN charge ON charge.block = block.id AND charge.storage = storage.id
      WHERE block.hash IN (${placeholders(multihashes)})`,
    [accountId, ...multihashes],
  )
}

const chargedSql = `SELECT 1 FROM block CROSS JOIN account_storage s ON s.account_id = ?2
  CROSS JOIN charge ON charge.block = block.id AND charge.storage = s.id WHERE block.hash = ?1`

/** Whether a root of the account reaches the block. Synchronous, because requests call it for each block. */
export function isStoredBy(db: Database, accountId: string, multihash: Uint8Array): boolean {
  return db.getValue(chargedSql, [multihash, accountId]) !== null
}
