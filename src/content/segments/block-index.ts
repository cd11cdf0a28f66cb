// Locations of blocks: the table `block` of `cairn.db`, by multihash. Reads use the caller's connection; writes are
// returned as Statements for the transaction that acknowledges them.
// Tested by src/content/segments/segment-files.test.ts
import type { Database } from '../../db/sqlite.ts'
import type { SqlValue, Statement } from '../../db/writer.ts'

/**
 * About a row of `block`: its bytes are found and served. Segments count from 1. A copy that failed verification is in
 * quarantine: its row has the negative of its segment, and the bytes stay there. 0: in no segment, its copy was dropped
 * by an earlier version.
 */
const isReadable = 'file > 0'

/** About a row of `block`: an account keeps it (docs/explanation/decisions/0018). */
export const isCharged = 'EXISTS (SELECT 1 FROM charge WHERE charge.block = block.id)'

/** Form of the stored block: whole, or only the data of a dag-pb leaf. */
export const verbatim = 0
export const dagPbLeaf = 1
export type BlockForm = typeof verbatim | typeof dagPbLeaf

/** `bytes`: stored, from `at` of segment `file` on. `size`: of the block, its frame included. */
export type BlockRow = {
  readonly hash: Uint8Array
  readonly file: number
  readonly at: number
  readonly bytes: number
  readonly form: BlockForm
  readonly size: number
}

export type BlockPlace = Omit<BlockRow, 'hash'>

/** A block of an open batch; `place` null: it was here before. */
export type StagedRow = {
  readonly tree: number
  readonly hash: Uint8Array
  readonly size: number
  readonly place: BlockPlace | null
}

const findSql = `SELECT file, at, bytes, form, size FROM block WHERE hash = ? AND ${isReadable}`
const quarantinedSql = 'SELECT -file, at, bytes, form, size FROM block WHERE hash = ? AND file < 0'
const hasSql = `SELECT 1 FROM block WHERE hash = ? AND ${isReadable}`
/** A readable copy keeps its location; otherwise the block moves to the new copy, with the same ID. */
const unlessThere = `ON CONFLICT (hash) DO UPDATE SET file = excluded.file, at = excluded.at, bytes = excluded.bytes,
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
  return insertRows(
    rows.map(({ hash, file, at, bytes, form, size }) => [hash, file, at, bytes, form, size]),
    created,
  )
}

/** As a row has them: hash, file, at, bytes, form, size. */
export type BlockValues = readonly [Uint8Array, number, number, number, BlockForm, number]

/** `insertBlocks` of many, without an object for each. */
export function insertRows(rows: readonly BlockValues[], created: number): Statement {
  return {
    sql: `INSERT INTO block (created, hash, file, at, bytes, form, size)
      VALUES (?, ?, ?, ?, ?, ?, ?) ${unlessThere}`,
    parameters: [created],
    rows,
  }
}

export function stageBlocks(batch: string, rows: readonly StagedRow[]): Statement {
  return {
    sql: `INSERT OR IGNORE INTO staged (batch, tree, hash, size, file, at, bytes, form)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    parameters: [batch],
    rows: rows.map(({ tree, hash, size, place }): readonly SqlValue[] =>
      place === null
        ? [tree, hash, size, null, null, null, null]
        : [tree, hash, size, place.file, place.at, place.bytes, place.form],
    ),
  }
}

/** Makes staged blocks visible. */
export function publishStaged(batch: string, created: number): Statement {
  return {
    sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
      SELECT hash, file, at, bytes, form, size, ? FROM staged WHERE batch = ? AND file IS NOT NULL
      ${unlessThere}`,
    parameters: [created, batch],
  }
}

/** The write fails when a block that was here before is gone: its place is NULL, which the table refuses. */
export function requireStaged(batch: string): Statement {
  return {
    sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
      SELECT hash, file, at, bytes, form, size, 0 FROM staged
      WHERE batch = ? AND file IS NULL AND NOT EXISTS (
        SELECT 1 FROM block WHERE block.hash = staged.hash AND block.file > 0)`,
    parameters: [batch],
  }
}

/** As `requireStaged`, of blocks that were not staged. */
export function requireBlocks(hashes: readonly Uint8Array[]): Statement {
  return {
    sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
      SELECT ?1, NULL, 0, 0, 0, 0, 0
      WHERE NOT EXISTS (SELECT 1 FROM block WHERE hash = ?1 AND ${isReadable})`,
    parameters: [],
    rows: hashes.map((hash) => [hash]),
  }
}

export function unstage(batch: string): Statement {
  return { sql: 'DELETE FROM staged WHERE batch = ?', parameters: [batch] }
}

/** One step of it; done when it changed fewer than `stepRows` rows. */
export function unstageStep(batch: string | null): Statement {
  const of = batch === null ? '1 = 1' : 'batch = ?'
  return {
    sql: `DELETE FROM staged WHERE (batch, tree, hash) IN
      (SELECT batch, tree, hash FROM staged WHERE ${of} LIMIT ${stepRows})`,
    parameters: batch === null ? [] : [batch],
  }
}

export const stepRows = 1000

/** The copy at `place` is no longer found, and its bytes stay; a later copy of the block takes its place. */
export function quarantineBlock(hash: Uint8Array, { file, at }: BlockPlace): Statement {
  return {
    sql: 'UPDATE block SET file = -file WHERE hash = ? AND file = ? AND at = ?',
    parameters: [hash, file, at],
  }
}

/** The copy in quarantine is found again. */
export function releaseBlock(hash: Uint8Array): Statement {
  return { sql: 'UPDATE block SET file = -file WHERE hash = ? AND file < 0', parameters: [hash] }
}

/** As `Forget`, without the blocks held in memory. */
export function forgetBlocks(hashes: readonly Uint8Array[]): Statement {
  return {
    sql: `DELETE FROM block WHERE hash = ? AND NOT ${isCharged}
      AND NOT EXISTS (SELECT 1 FROM staged WHERE staged.hash = block.hash AND staged.file IS NULL)`,
    parameters: [],
    rows: hashes.map((hash) => [hash]),
  }
}

/** New locations of whole blocks; deleted or already moved ones stay unchanged. */
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
