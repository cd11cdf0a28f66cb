// Tables `root` and `closure`: the sets of blocks that accounts store by pins and leases, with the blocks of each set.
// Triggers maintain the referencing accounts and their storage (db/storage-triggers.ts).
// Tested by src/ipfs/pins/roots.test.ts
import { query, type Query } from '../db/rows.ts'
import type { SqlValue, Statement } from '../db/writer.ts'

/**
 * `recursive`: all blocks below a CID. `direct`: only its own block. `loose`: all blocks of one batch, identified by the batch. The
 * codec is part of the name, because under another codec the same bytes may have other links.
 */
export type RootName = {
  /** The multihash. */
  readonly hash: Uint8Array
  readonly codec: number
  readonly mode: 'recursive' | 'direct' | 'loose'
}

/** Blocks that a batch staged under the number `tree`: the closure of a new root. */
export type StagedTree = { readonly batch: string; readonly tree: number }

export type RootSize = { readonly blocks: number; readonly bytes: number }

/** A condition on the table `root`, with its parameters. */
export const isRoot = 'root.hash = ? AND root.codec = ? AND root.mode = ?'
export function rootParameters({ hash, codec, mode }: RootName): readonly SqlValue[] {
  return [hash, codec, mode]
}

/** The root, if it is referenced and all its blocks are stored. */
export function findWholeRoot(name: RootName): Query<RootSize> {
  return query(
    `SELECT blocks, bytes FROM root WHERE ${isRoot} AND holders > 0 AND NOT EXISTS (
      SELECT 1 FROM block CROSS JOIN closure ON closure.root = root.id AND closure.block = block.id
        WHERE block.file <= 0)`,
    rootParameters(name),
  )
}

/** Roots with a missing or quarantined block, or with fewer blocks than recorded. Reads all closures. */
export function listIncompleteRoots(): Query<{ readonly root: number }> {
  return query(`SELECT DISTINCT closure.root AS root FROM closure
    LEFT JOIN block ON block.id = closure.block WHERE block.id IS NULL OR block.file <= 0
  UNION SELECT id FROM root WHERE hash IS NOT NULL
    AND blocks <> (SELECT count(*) FROM closure WHERE closure.root = root.id)`)
}

/** Every block of every root, for iteration. */
export function listClosures(): Query<{ readonly root: number; readonly block: number }> {
  return query('SELECT root, block FROM closure')
}

/** Returns one row if the database has the table, which databases of early versions lack. */
export function closureTableExists(): Query<{ readonly found: number }> {
  return query(`SELECT 1 AS found FROM sqlite_master WHERE name = 'closure'`)
}

/**
 * Creates the root with its closure, unless it is already referenced: then it is complete and unchanged. The same commit must add a
 * row that references it.
 */
export function insertRoot(name: RootName, { batch, tree }: StagedTree): readonly Statement[] {
  const named = rootParameters(name)
  return [
    {
      sql: 'INSERT INTO root (hash, codec, mode) VALUES (?, ?, ?) ON CONFLICT (hash, codec, mode) DO NOTHING',
      parameters: named,
    },
    {
      sql: `INSERT INTO closure (root, block) SELECT root.id, block.id
        FROM root CROSS JOIN staged CROSS JOIN block ON block.hash = staged.hash
        WHERE ${isRoot} AND root.holders = 0 AND staged.batch = ? AND staged.tree = ?
        ON CONFLICT (root, block) DO NOTHING`,
      parameters: [...named, batch, tree],
    },
    {
      sql: `UPDATE root SET (blocks, bytes) = (SELECT count(*), coalesce(sum(block.size), 0)
          FROM closure CROSS JOIN block ON block.id = closure.block WHERE closure.root = root.id)
        WHERE ${isRoot} AND root.holders = 0`,
      parameters: named,
    },
  ]
}
