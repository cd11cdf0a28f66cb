// Table `log_checkpoint`: the position up to which the logs are indexed. One row, written with or after the rows of the preceding
// records. Segment numbers only increase, so it precedes every record in a segment with a higher number.
// Tested by src/content/segments/replay-log.test.ts
import type { Database } from '../db/sqlite.ts'
import type { Statement } from '../db/writer.ts'

/** Offset `at` of segment `file`. */
export type LogPlace = { readonly file: number; readonly at: number }

/** Null: none yet. */
export function findCheckpoint(db: Database): LogPlace | null {
  const row = db.getRow<readonly [number, number]>('SELECT file, at FROM log_checkpoint')
  return row === null ? null : { file: row[0], at: row[1] }
}

export function setCheckpoint({ file, at }: LogPlace): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO log_checkpoint (id, file, at) VALUES (1, ?, ?)',
    parameters: [file, at],
  }
}
