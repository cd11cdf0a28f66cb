// Table `block` of PostgreSQL, for bytes in an object store. The statements lock the rows that they rely on, ordered by hash, so
// that a block that a commit relies on is not deleted before the commit.
// Tested by test/files/object-blocks.test.ts
import { placeholders, query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { isCharged, unlessReadable, type BlockRow } from '../blocks.ts'

/** Hashes of one lookup. The number is rounded up to one of few sizes, so that the database parses few SQL texts. */
export const lookupMax = 256
const lookupSizes = [1, 8, 64, lookupMax]

/** Readable copies of at most `lookupMax` hashes. */
export function findPlaces(hashes: readonly Uint8Array[]): Query<BlockRow> {
  const padded = padHashes(hashes)
  return query(
    `SELECT hash, file, at, bytes, form, size FROM block WHERE hash IN (${placeholders(padded)}) AND file > 0`,
    padded,
  )
}

function padHashes(hashes: readonly Uint8Array[]): readonly Uint8Array[] {
  const size = lookupSizes.find((each) => each >= hashes.length) ?? hashes.length
  const last = hashes.at(-1) ?? new Uint8Array(0)
  return [...hashes, ...Array.from({ length: size - hashes.length }, () => last)]
}

/** The quarantined copy. */
export function findQuarantinedBlock(hash: Uint8Array): Query<BlockRow> {
  return query(
    'SELECT hash, -file AS file, at, bytes, form, size FROM block WHERE hash = ? AND file < 0',
    [hash],
  )
}

/** The next `limit` quarantined blocks after an ID. */
export function listQuarantinedObjectBlocks(
  after: number,
  limit: number,
): Query<{ readonly id: number; readonly hash: Uint8Array }> {
  return query(
    `SELECT id, hash FROM block WHERE file <= 0 AND file < 0 AND id > ? ORDER BY id LIMIT ${limit}`,
    [after],
  )
}

/** Returns one row if any copy is quarantined. */
export function anyQuarantinedBlock(): Query<{ readonly found: number }> {
  return query('SELECT 1 AS found FROM block WHERE file <= 0 AND file < 0 LIMIT 1')
}

/** Locks blocks until the commit. Fails with `NothingChanged` if one of them was deleted or quarantined. */
export function lockBlocks(hashes: readonly Uint8Array[]): Statement {
  const sql = `WITH locked AS (SELECT id FROM block WHERE hash = ANY (?1::bytea[]) AND file > 0
      ORDER BY hash FOR KEY SHARE)
    SELECT 1 FROM locked HAVING count(*) = cardinality(?1::bytea[])`
  return {
    ...unnested(
      sql,
      hashes.map((hash) => [hash]),
    ),
    require: 'change',
  }
}

/** A readable copy retains its place, and is locked until the commit. `rows`: each hash only once. */
export function insertObjectBlocks(rows: readonly BlockRow[], created: number): Statement {
  const sql = `INSERT INTO block (created, hash, file, at, bytes, form, size)
    SELECT ?, new.* FROM unnest(?::bytea[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      AS new (hash, file, at, bytes, form, size) ORDER BY new.hash
    ${unlessReadable}`
  return unnested(
    sql,
    rows.map(({ hash, file, at, bytes, form, size }) => [hash, file, at, bytes, form, size]),
    [created],
  )
}

/** Lists blocks of a commit in `staged`, for its other rows. */
export function stageCommitted(
  batch: string,
  rows: readonly { readonly tree: number; readonly hash: Uint8Array; readonly size: number }[],
): Statement {
  const sql = `INSERT INTO staged (batch, tree, hash, size)
    SELECT ?, new.* FROM unnest(?::bigint[], ?::bytea[], ?::bigint[]) AS new (tree, hash, size)
    ON CONFLICT DO NOTHING`
  return unnested(
    sql,
    rows.map(({ tree, hash, size }) => [tree, hash, size]),
    [batch],
  )
}

/** Stages those of the blocks that exist, which protects them from deletion. */
export function stageExisting(
  batch: string,
  tree: number,
  hashes: readonly Uint8Array[],
): Statement {
  const sql = `INSERT INTO staged (batch, tree, hash, size)
    SELECT ?, ?, hash, size FROM (SELECT hash, size FROM block WHERE hash = ANY (?::bytea[]) AND file > 0
      ORDER BY hash FOR KEY SHARE) AS found
    ON CONFLICT DO NOTHING`
  return unnested(
    sql,
    hashes.map((hash) => [hash]),
    [batch, tree],
  )
}

/** The hashes, of at most `lookupMax`, that the batch has staged. */
export function findStaged(
  batch: string,
  tree: number,
  hashes: readonly Uint8Array[],
): Query<{ readonly hash: Uint8Array }> {
  const padded = padHashes(hashes)
  return query(
    `SELECT hash FROM staged WHERE batch = ? AND tree = ? AND hash IN (${placeholders(padded)})`,
    [batch, tree, ...padded],
  )
}

/**
 * Locks the stored blocks that the batch relies on. Fails with `NothingChanged` if one is quarantined, or if the batch does not
 * have exactly `rows` rows, because rows of a paused machine are deleted.
 */
export function requireStagedBlocks(batch: string, rows: number): Statement {
  return {
    sql: `WITH locked AS (SELECT block.hash FROM block JOIN staged ON staged.hash = block.hash
        WHERE staged.batch = ?1 AND staged.file IS NULL AND block.file > 0
        ORDER BY block.hash FOR KEY SHARE OF block)
      SELECT 1 FROM (SELECT count(*) AS found FROM locked) AS counted
        WHERE found = (SELECT count(*) FROM staged WHERE batch = ?1 AND file IS NULL)
          AND ?2 = (SELECT count(*) FROM staged WHERE batch = ?1)`,
    parameters: [batch, rows],
    require: 'change',
  }
}

/** Makes staged blocks visible. */
export function publishStagedBlocks(batch: string, created: number): Statement {
  return {
    sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
      SELECT DISTINCT ON (hash) hash, file, at, bytes, form, size, ?::bigint FROM staged
        WHERE batch = ? AND file IS NOT NULL ORDER BY hash, file, at
      ${unlessReadable}`,
    parameters: [created, batch],
  }
}

/**
 * Deletes blocks without a charge on which no batch relies. The first statement waits for commits that rely on them; the second one
 * sees the changes of those commits. The row count is that of the second.
 */
export function deleteUnusedBlocks(hashes: readonly Uint8Array[]): readonly Statement[] {
  const rows = hashes.map((hash) => [hash])
  return [
    unnested(`SELECT id FROM block WHERE hash = ANY (?::bytea[]) ORDER BY hash FOR UPDATE`, rows),
    unnested(
      `DELETE FROM block WHERE hash = ANY (?::bytea[]) AND NOT ${isCharged}
        AND NOT EXISTS (SELECT 1 FROM staged WHERE staged.hash = block.hash AND staged.file IS NULL)`,
      rows,
    ),
  ]
}

/** New places of whole blocks; rows of deleted, replaced or already moved blocks are unchanged. */
export function moveObjectBlocks(
  moves: readonly {
    readonly from: BlockRow
    readonly to: { readonly file: number; readonly at: number }
  }[],
): Statement {
  const sql = `UPDATE block SET file = new.file, at = new.at, bytes = block.size, form = 0
    FROM unnest(?::bigint[], ?::bigint[], ?::bytea[], ?::bigint[], ?::bigint[])
      AS new (file, at, hash, old_file, old_at)
    WHERE block.hash = new.hash AND block.file = new.old_file AND block.at = new.old_at`
  return unnested(
    sql,
    moves.map(({ from, to }) => [to.file, to.at, from.hash, from.file, from.at]),
  )
}

/** Blocks of segment `file` with an ID above `after`, up to `last`. */
export function listBlocksOf(
  file: number,
  { after, last }: { readonly after: number; readonly last: number },
  limit: number,
): Query<BlockRow & { readonly id: number }> {
  return query(
    `SELECT id, hash, file, at, bytes, form, size FROM block
      WHERE id > ? AND id <= ? AND file = ? ORDER BY id LIMIT ${limit}`,
    [after, last, file],
  )
}

function unnested(
  sql: string,
  rows: NonNullable<Statement['rows']>,
  parameters: Statement['parameters'] = [],
): Statement {
  return { sql, parameters, rows, postgres: { unnest: sql } }
}
