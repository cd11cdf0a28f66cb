// Roots as rows: the sets of blocks that accounts keep by pins and leases. A root's closure is what a batch put
// under one tree, written in the batch's own commit and never walked again; who holds it, and what that comes to in
// bytes, follows by triggers (db/storage-triggers.ts).
import type { CID } from 'multiformats/cid'
import type { Database } from '../../db/sqlite.ts'
import type { SqlValue, Statement } from '../../db/writer.ts'

/**
 * `recursive`: all blocks below a CID. `direct`: its block alone. `loose`: what one batch put, named by the batch.
 * Two CIDs of one block differ by codec only: under another codec the same bytes may have other links.
 */
export type RootName = {
  readonly hash: Uint8Array
  readonly codec: number
  readonly mode: 'recursive' | 'direct' | 'loose'
}

/** Where a batch's commit finds the closure: what was put under `tree`. */
export type Put = { readonly batch: string; readonly tree: number }

export function rootOf(cid: CID, mode: 'recursive' | 'direct'): RootName {
  return { hash: cid.multihash.bytes, codec: cid.code, mode }
}

/** The root of what a batch put and nothing names. */
export function looseRoot(batch: string): RootName {
  return { hash: new TextEncoder().encode(batch), codec: 0, mode: 'loose' }
}

/** A condition on the table `root`, with its parameters. */
export const isRoot = 'root.hash = ? AND root.codec = ? AND root.mode = ?'
export function rootParameters({ hash, codec, mode }: RootName): readonly SqlValue[] {
  return [hash, codec, mode]
}

/**
 * Makes the root with its closure, unless it is already referenced: then it is whole, and stays as it is. To be
 * followed in the same commit by the row that holds it.
 */
export function rootStatements(name: RootName, { batch, tree }: Put): readonly Statement[] {
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

/** A referenced root with all blocks stored; null if there is none. */
export function findWholeRoot(
  database: Database,
  name: RootName,
): { readonly blocks: number; readonly bytes: number } | null {
  return database.get(
    `SELECT blocks, bytes FROM root WHERE ${isRoot} AND holders > 0 AND NOT EXISTS (
      SELECT 1 FROM block CROSS JOIN closure ON closure.root = root.id AND closure.block = block.id
        WHERE block.file <= 0)`,
    rootParameters(name),
  )
}
