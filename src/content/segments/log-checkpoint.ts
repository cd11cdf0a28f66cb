// Position up to which the logs are indexed: a row of `cairn.db`, written with or after the rows of the preceding
// records. Segment numbers only rise, so it precedes every record in a segment with a higher number.
// Tested by src/content/segments/replay-log.test.ts
import type { Database } from '../../db/sqlite.ts'
import type { Statement } from '../../db/writer.ts'
import type { Place } from './extents.ts'

/** Null: there was none yet. */
export function findCheckpoint(db: Database): Place | null {
  const row = db.getRow<readonly [number, number]>('SELECT file, at FROM log_checkpoint')
  return row === null ? null : { file: row[0], at: row[1] }
}

export function checkpointAt({ file, at }: Place): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO log_checkpoint (id, file, at) VALUES (1, ?, ?)',
    parameters: [file, at],
  }
}
