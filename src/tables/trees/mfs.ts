// Tables `mfs` and `mfs_block`: the root of each account's file tree, and the number of links in the tree to each block. Triggers
// charge the blocks to the account (db/mfs-tables.ts).
// Tested by src/ipfs/mfs/mfs.test.ts
import { placeholders, query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

export type MfsRow = { readonly root: Uint8Array; readonly version: number }

/** No row: the account never changed its tree. */
export function findMfs(accountId: string): Query<MfsRow> {
  return query('SELECT root, version FROM mfs WHERE account_id = ?', [accountId])
}

/** Creates the account's row in `account_storage`, whose ID other rows need. */
export function insertStorage(accountId: string): Statement {
  return {
    sql: 'INSERT INTO account_storage (account_id) VALUES (?) ON CONFLICT (account_id) DO NOTHING',
    parameters: [accountId],
  }
}

/** Sets the new root. Fails with `NothingChanged` if the tree is no longer at `version`; 0: there is no row yet. */
export function replaceMfs(accountId: string, root: Uint8Array, version: number): Statement {
  if (version === 0) {
    return {
      sql: 'INSERT INTO mfs (account_id, root, version) VALUES (?, ?, 1) ON CONFLICT (account_id) DO NOTHING',
      parameters: [accountId, root],
      require: 'change',
    }
  }
  return {
    sql: 'UPDATE mfs SET root = ?, version = version + 1 WHERE account_id = ? AND version = ?',
    parameters: [root, accountId, version],
    require: 'change',
  }
}

/**
 * `links`: number of links in the tree to the block under this codec. `held` 1: the block is stored, and its own links are counted.
 */
export type MfsBlockRow = {
  readonly hash: Uint8Array
  readonly codec: number
  readonly links: number
  readonly held: number
}

/** Rows of these blocks, under any codec. */
export function findMfsBlocks(storage: number, hashes: readonly Uint8Array[]): Query<MfsBlockRow> {
  return query(
    `SELECT hash, codec, links, held FROM mfs_block
      WHERE storage = ? AND hash IN (${placeholders(hashes)})`,
    [storage, ...hashes],
  )
}

/** Stored blocks of the account's tree, by hash after `after`. `roots`: as in ChargedBlockRow. */
export function listMfsBlocks(
  storage: number,
  after: Uint8Array,
  limit: number,
): Query<{ readonly id: number; readonly hash: Uint8Array; readonly roots: number }> {
  return query(
    `SELECT block.id AS id, mfs_block.hash AS hash, charge.roots AS roots FROM mfs_block
        CROSS JOIN block ON block.hash = mfs_block.hash AND block.file <> 0
        CROSS JOIN charge ON charge.block = block.id AND charge.storage = mfs_block.storage
        WHERE mfs_block.storage = ? AND mfs_block.hash > ? AND mfs_block.held = 1
        ORDER BY mfs_block.hash, mfs_block.codec LIMIT ${limit}`,
    [storage, after],
  )
}

export function insertMfsBlocks(storage: number, rows: readonly MfsBlockRow[]): Statement {
  return {
    sql: 'INSERT INTO mfs_block (storage, hash, codec, links, held) VALUES (?, ?, ?, ?, ?)',
    parameters: [storage],
    rows: rows.map(({ hash, codec, links, held }) => [hash, codec, links, held]),
  }
}

export function updateMfsBlocks(storage: number, rows: readonly MfsBlockRow[]): Statement {
  return {
    sql: 'UPDATE mfs_block SET links = ?3 WHERE storage = ?1 AND hash = ?2 AND codec = ?4',
    parameters: [storage],
    rows: rows.map(({ hash, codec, links }) => [hash, links, codec]),
  }
}

export function deleteMfsBlocks(storage: number, rows: readonly MfsBlockRow[]): Statement {
  return {
    sql: 'DELETE FROM mfs_block WHERE storage = ? AND hash = ? AND codec = ?',
    parameters: [storage],
    rows: rows.map(({ hash, codec }) => [hash, codec]),
  }
}
