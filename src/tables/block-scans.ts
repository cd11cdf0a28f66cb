// Table `block`: scans by ID, in steps, for the garbage collection, and sums over all blocks.
// Tested by src/ipfs/collection/garbage-collector.test.ts
import { query, type Query } from '../db/rows.ts'
import { isCharged } from './blocks.ts'

/** The last of the `blocks` blocks after this ID; no row: fewer remain. */
export function findLastBlockOfScan(after: number, blocks: number): Query<{ readonly id: number }> {
  return query(`SELECT id FROM block WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${blocks - 1}`, [
    after,
  ])
}

/** IDs above `after` and up to `last`. */
export type BlockRange = { readonly after: number; readonly last: number }

/** Blocks created before this time that no account stores. */
export function listUnreferencedBlocks(
  { after, last }: BlockRange,
  created: number,
): Query<{ readonly hash: Uint8Array; readonly size: number }> {
  return query(
    `SELECT hash, size FROM block WHERE id > ? AND id <= ? AND created < ? AND NOT ${isCharged}`,
    [after, last, created],
  )
}

/** `bytes`: as stored in segment `file`. `first` and `last`: lowest and highest ID of its blocks. */
export type LiveBlocksRow = {
  readonly file: number
  readonly bytes: number
  readonly first: number
  readonly last: number
}

/** By segment. Includes quarantined copies, because their bytes remain there. */
export function listLiveBlocks({ after, last }: BlockRange): Query<LiveBlocksRow> {
  return query(
    `SELECT abs(file) AS file, sum(bytes) AS bytes, min(id) AS first, max(id) AS last FROM block
  WHERE id > ? AND id <= ? AND file <> 0 GROUP BY abs(file)`,
    [after, last],
  )
}

/** All readable blocks, including unreferenced ones. Returns one row. */
export function sumBlocks(): Query<{ readonly blocks: number; readonly bytes: number }> {
  return query(
    'SELECT count(*) AS blocks, coalesce(sum(bytes), 0) AS bytes FROM block WHERE file > 0',
  )
}

export function findBlockId(multihash: Uint8Array): Query<{ readonly id: number }> {
  return query('SELECT id FROM block WHERE hash = ?', [multihash])
}
