// Table `block`: which bytes of which segments the rows refer to. Reads all rows: not on a thread that answers requests.
// Tested by src/backup/make-backup.test.ts
import { query, type Query } from '../db/rows.ts'

/** `end`: behind the last byte of segment `file` that a row refers to. */
export type SegmentEnd = { readonly file: number; readonly end: number }

/** Copies in quarantine included: their bytes stay in place. */
export function listSegmentEnds(): Query<SegmentEnd> {
  return query(
    'SELECT abs(file) AS file, max(at + bytes) AS end FROM block WHERE file <> 0 GROUP BY abs(file) ORDER BY 1',
  )
}

/** One row if the database has segments: databases of early versions have none. */
export function blockTableExists(): Query<{ readonly found: number }> {
  return query(`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'block'`)
}
