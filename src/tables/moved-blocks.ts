// Queries by which `cairn migrate` copies and checks blocks, for both engines.
// Tested by test/cli/migrate.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'

type MovedBlock = { readonly id: number; readonly hash: Uint8Array; readonly size: number }

/** The next `limit` blocks with a copy after an ID. */
export function listMovedBlocks(after: number, limit: number): Query<MovedBlock> {
  return query(
    `SELECT id, hash, size FROM block WHERE id > ? AND file > 0 ORDER BY id LIMIT ${limit}`,
    [after],
  )
}

export function countMovedBlocks(): Query<{ readonly blocks: number }> {
  return query('SELECT count(*) AS blocks FROM block WHERE file > 0')
}

/** A random sample of blocks with a copy. */
export function sampleBlocks(limit: number): Query<{ readonly hash: Uint8Array }> {
  return query(`SELECT hash FROM block WHERE file > 0 ORDER BY random() LIMIT ${limit}`)
}

/** Number of accounts in the database of the folder. */
export function countAccounts(db: Database): number {
  return db.getValue<number>('SELECT count(*) FROM account') ?? 0
}

/** One row if all rows of this PostgreSQL database were moved to a folder. */
export function findMovedAway(): Query<{ readonly found: number }> {
  return {
    ...query("SELECT 1 AS found FROM sqlite_schema WHERE name = 'moved_away'"),
    postgres: "SELECT 1 AS found WHERE to_regclass('moved_away') IS NOT NULL",
  }
}
