// Tables `releasing`, `root` and `closure`: roots that one account or all accounts released, deleted in steps. The rows record the
// progress.
// Tested by src/ipfs/pins/roots.test.ts
import { query, type Query } from '../db/rows.ts'
import { releaseBlocksSql, releaseReferenceSql } from '../db/storage-triggers.ts'
import type { Statement } from '../db/writer.ts'

/** A large root that the account with this row of `account_storage` released; blocks up to `after` are processed. */
export type ReleasingRow = {
  readonly id: number
  readonly storage: number
  readonly root: number
  readonly after: number
}

export function findFirstReleasing(): Query<ReleasingRow> {
  return query('SELECT id, storage, root, after FROM releasing ORDER BY id LIMIT 1')
}

/** The first root that no account references. */
export function findFirstUnreferencedRoot(): Query<{ readonly id: number }> {
  return query('SELECT id FROM root WHERE hash IS NULL ORDER BY id LIMIT 1')
}

/** The last block of a step of `blocks` blocks; no row: the rest fits in one step. */
export function findLastBlockOfStep(
  root: number,
  after: number,
  blocks: number,
): Query<{ readonly block: number }> {
  return query(
    `SELECT block FROM closure WHERE root = ? AND block > ? ORDER BY block LIMIT 1 OFFSET ${blocks}`,
    [root, after],
  )
}

/** Removes the blocks up to `last` from the storage of the account; null: all remaining blocks, then the reference itself. */
export function releaseBlocks(
  { id, storage, root, after }: ReleasingRow,
  last: number | null,
): readonly Statement[] {
  const upTo = last ?? Number.MAX_SAFE_INTEGER
  const range = releaseBlocksSql({ storage: '?1', root: '?2', after: '?3', last: '?4' })
  const end: readonly Statement[] =
    last === null
      ? [
          { sql: releaseReferenceSql('?'), parameters: [root] },
          { sql: 'DELETE FROM releasing WHERE id = ?', parameters: [id] },
        ]
      : [{ sql: 'UPDATE releasing SET after = ? WHERE id = ?', parameters: [upTo, id] }]
  return [...range.map((sql) => ({ sql, parameters: [storage, root, after, upTo] })), ...end]
}

/** Removes the blocks up to `last` from an unreferenced root; null: all remaining blocks, then the root. */
export function deleteClosure(root: number, last: number | null): readonly Statement[] {
  if (last !== null) {
    return [{ sql: 'DELETE FROM closure WHERE root = ? AND block <= ?', parameters: [root, last] }]
  }
  return [
    { sql: 'DELETE FROM closure WHERE root = ?', parameters: [root] },
    { sql: 'DELETE FROM root WHERE id = ?', parameters: [root] },
  ]
}
