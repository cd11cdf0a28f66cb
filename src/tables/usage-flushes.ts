// Table `usage_flush`: the number of the last flush of each writer of usage. A flush is written in one transaction with its number,
// so it counts only once, even if it is sent again after a lost reply.
// Tested by src/access/usage/usage.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** No row: the writer has not written yet. */
export function findFlush(writer: string): Query<{ readonly seq: number }> {
  return query('SELECT seq FROM usage_flush WHERE writer = ?', [writer])
}

/**
 * The first statement of a flush. `seq`: greater than that of the previous flush. Fails with `NothingChanged` if the flush was
 * already written. `time`: milliseconds since 1970.
 */
export function numberFlush(writer: string, seq: number, time: number): Statement {
  return {
    sql: `INSERT INTO usage_flush (writer, seq, time) VALUES (?, ?, ?)
      ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, time = excluded.time
      WHERE usage_flush.seq < excluded.seq`,
    parameters: [writer, seq, time],
    require: 'change',
  }
}

/** Deletes the rows of writers without a flush since `time`. */
export function deleteOldFlushes(time: number): Statement {
  return { sql: 'DELETE FROM usage_flush WHERE time < ?', parameters: [time] }
}
