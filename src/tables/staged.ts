// Table `staged`: blocks of open batches, which the commit converts to rows of `block`.
// Tested by test/suites/block-store.suite.ts
import type { SqlValue, Statement } from '../db/writer.ts'
import { unlessReadable, type BlockPlace } from './blocks.ts'

/** A block of an open batch; `place` null: it was already stored. */
export type StagedRow = {
  readonly tree: number
  readonly hash: Uint8Array
  readonly size: number
  readonly place: BlockPlace | null
}

export const unstageStepRows = 1000

export function stageBlocks(batch: string, rows: readonly StagedRow[]): Statement {
  return {
    sql: `INSERT INTO staged (batch, tree, hash, size, file, at, bytes, form)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
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
      ${unlessReadable}`,
    parameters: [created, batch],
  }
}

/** Fails if a block that was already stored has been deleted: its location is then NULL, which the table rejects. */
export function requireStaged(batch: string): Statement {
  return {
    sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
      SELECT hash, file, at, bytes, form, size, 0 FROM staged
      WHERE batch = ? AND file IS NULL AND NOT EXISTS (
        SELECT 1 FROM block WHERE block.hash = staged.hash AND block.file > 0)`,
    parameters: [batch],
  }
}

export function unstage(batch: string): Statement {
  return { sql: 'DELETE FROM staged WHERE batch = ?', parameters: [batch] }
}

/** One step of `unstage`; the last step changes fewer than `unstageStepRows` rows. `batch` null: all batches. */
export function unstageStep(batch: string | null): Statement {
  const of = batch === null ? '1 = 1' : 'batch = ?'
  return {
    sql: `DELETE FROM staged WHERE (batch, tree, hash) IN
      (SELECT batch, tree, hash FROM staged WHERE ${of} LIMIT ${unstageStepRows})`,
    parameters: batch === null ? [] : [batch],
  }
}
