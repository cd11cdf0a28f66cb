// Table `block`: locations of file blocks in the segments, by multihash. Reads use the caller's connection; changes are returned as
// statements for the transaction that acknowledges them.
// Tested by src/content/segments/segment-files.test.ts
import type { Database } from '../db/sqlite.ts'
import type { Statement } from '../db/writer.ts'

/**
 * Condition on `block`: the copy is served. Segments count from 1. A copy that failed verification is in quarantine: its row has
 * the negative segment number, and its bytes stay there. 0: in no segment, because an earlier version dropped the copy.
 */
const isReadable = 'file > 0'

/** Condition on `block`: an account stores the block (docs/explanation/decisions/0018). */
export const isCharged = 'EXISTS (SELECT 1 FROM charge WHERE charge.block = block.id)'

/** Form of the stored bytes: the whole block, or only the data of a dag-pb leaf. */
export const verbatim = 0
export const dagPbLeaf = 1
export type BlockForm = typeof verbatim | typeof dagPbLeaf

/** `bytes`: stored size, from offset `at` of segment `file` on. `size`: of the whole block, its frame included. */
export type BlockRow = {
  readonly hash: Uint8Array
  readonly file: number
  readonly at: number
  readonly bytes: number
  readonly form: BlockForm
  readonly size: number
}

export type BlockPlace = Omit<BlockRow, 'hash'>

const findSql = `SELECT file, at, bytes, form, size FROM block WHERE hash = ? AND ${isReadable}`
const quarantinedSql = 'SELECT -file, at, bytes, form, size FROM block WHERE hash = ? AND file < 0'
const hasSql = `SELECT 1 FROM block WHERE hash = ? AND ${isReadable}`
/** A readable copy retains its location; otherwise the row gets the new location, with the same ID. */
export const unlessReadable = `ON CONFLICT (hash) DO UPDATE SET file = excluded.file, at = excluded.at, bytes = excluded.bytes,
  form = excluded.form, size = excluded.size WHERE block.file <= 0`

export function findPlace(db: Database, hash: Uint8Array): BlockPlace | null {
  return findBy(findSql, db, hash)
}

/** Location of the quarantined copy. */
export function findQuarantinedPlace(db: Database, hash: Uint8Array): BlockPlace | null {
  return findBy(quarantinedSql, db, hash)
}

function findBy(sql: string, db: Database, hash: Uint8Array): BlockPlace | null {
  const row = db.getRow<readonly [number, number, number, BlockForm, number]>(sql, [hash])
  if (row === null) return null
  const [file, at, bytes, form, size] = row
  return { file, at, bytes, form, size }
}

export function hasBlock(db: Database, hash: Uint8Array): boolean {
  return db.getValue(hasSql, [hash]) !== null
}

/** Leaves an existing row unchanged. */
export function insertBlocks(rows: readonly BlockRow[], created: number): Statement {
  return insertBlockValues(
    rows.map(({ hash, file, at, bytes, form, size }) => [hash, file, at, bytes, form, size]),
    created,
  )
}

/** The values of a row: hash, file, at, bytes, form, size. */
export type BlockValues = readonly [Uint8Array, number, number, number, BlockForm, number]

/** `insertBlocks` for many blocks, without an object for each. */
export function insertBlockValues(rows: readonly BlockValues[], created: number): Statement {
  return {
    sql: `INSERT INTO block (created, hash, file, at, bytes, form, size)
      VALUES (?, ?, ?, ?, ?, ?, ?) ${unlessReadable}`,
    parameters: [created],
    rows,
  }
}

/** Fails if one of the blocks was deleted: its location is then NULL, which the table rejects. */
export function requireBlocks(hashes: readonly Uint8Array[]): Statement {
  return {
    sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
      SELECT ?1, NULL, 0, 0, 0, 0, 0
      WHERE NOT EXISTS (SELECT 1 FROM block WHERE hash = ?1 AND ${isReadable})`,
    parameters: [],
    rows: hashes.map((hash) => [hash]),
  }
}

/** Reads no longer find the copy at this location. Its bytes stay until a later copy replaces it. */
export function quarantineBlock(hash: Uint8Array, { file, at }: BlockPlace): Statement {
  return {
    sql: 'UPDATE block SET file = -file WHERE hash = ? AND file = ? AND at = ?',
    parameters: [hash, file, at],
  }
}

/** Reads find the quarantined copy again. */
export function releaseBlock(hash: Uint8Array): Statement {
  return { sql: 'UPDATE block SET file = -file WHERE hash = ? AND file < 0', parameters: [hash] }
}

/** Deletes the blocks without a charge on which no open batch depends. */
export function deleteUnreferencedBlocks(hashes: readonly Uint8Array[]): Statement {
  return {
    sql: `DELETE FROM block WHERE hash = ? AND NOT ${isCharged}
      AND NOT EXISTS (SELECT 1 FROM staged WHERE staged.hash = block.hash AND staged.file IS NULL)`,
    parameters: [],
    rows: hashes.map((hash) => [hash]),
  }
}

/** New locations of whole blocks; rows of deleted or already moved blocks are unchanged. */
export function moveBlocksTo(
  moves: readonly {
    readonly from: BlockRow
    readonly to: { readonly file: number; readonly at: number }
  }[],
): Statement {
  return {
    sql: `UPDATE block SET file = ?, at = ?, bytes = size, form = ${verbatim}
      WHERE hash = ? AND file = ? AND at = ?`,
    parameters: [],
    rows: moves.map(({ from, to }) => [to.file, to.at, from.hash, from.file, from.at]),
  }
}

/** New locations and forms, whatever the rows contained before. */
export function replacePlaces(rows: readonly BlockRow[]): Statement {
  return {
    sql: 'UPDATE block SET file = ?, at = ?, bytes = ?, form = ?, size = ? WHERE hash = ?',
    parameters: [],
    rows: rows.map(({ hash, file, at, bytes, form, size }) => [file, at, bytes, form, size, hash]),
  }
}

/** Whether a quarantined copy is in that segment. */
export function hasQuarantinedIn(db: Database, file: number): boolean {
  return db.getValue('SELECT 1 FROM block WHERE file <= 0 AND file = ? LIMIT 1', [-file]) !== null
}

/** Blocks of segment `file` with an ID above `after`, up to `last`. */
export function listBlocksIn(
  db: Database,
  file: number,
  { after, last }: { readonly after: number; readonly last: number },
): readonly BlockRow[] {
  return db.all<BlockRow>(
    `SELECT hash, file, at, bytes, form, size FROM block
      WHERE id > ? AND id <= ? AND file = ? ORDER BY id`,
    [after, last, file],
  )
}

/** The next `limit` blocks after an ID, including quarantined ones, whose `file` is negative. */
export function listBlocksAfter(
  db: Database,
  after: number,
  limit: number,
): readonly (BlockRow & { readonly id: number })[] {
  return db.all<BlockRow & { id: number }>(
    `SELECT id, hash, file, at, bytes, form, size FROM block
      WHERE id > ? AND file <> 0 ORDER BY id LIMIT ?`,
    [after, limit],
  )
}

/** Includes quarantined blocks. 0 in a database of an earlier version. */
export function countBlocks(db: Database): number {
  const known = db.getValue(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'block'`)
  if (known === null) return 0
  return db.getValue<number>(`SELECT count(*) FROM block WHERE file <> 0`) ?? 0
}
