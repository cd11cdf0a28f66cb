// Table `block`: which bytes of which segments the rows refer to. Reads all rows, so it must not run on a thread that answers
// requests.
// Tested by src/backup/make-backup.test.ts
import { query, type Query } from '../db/rows.ts'

/** `end`: offset after the last byte of segment `file` that a row refers to. */
export type SegmentEnd = { readonly file: number; readonly end: number }

/** Includes quarantined copies, because their bytes stay in place. */
export function listSegmentEnds(): Query<SegmentEnd> {
  return query(
    'SELECT abs(file) AS file, max(at + bytes) AS end FROM block WHERE file <> 0 GROUP BY abs(file) ORDER BY 1',
  )
}

/** Returns one row if the database has segments, which databases of early versions lack. */
export function blockTableExists(): Query<{ readonly found: number }> {
  return query(`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'block'`)
}
