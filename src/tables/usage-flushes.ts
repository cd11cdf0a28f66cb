// Table `usage_flush`: for each writer of usage, the number of its last flush. A flush is written in one transaction with its
// number, and so counts once, also if it is sent again after a lost reply.
// Tested by src/access/usage/usage.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** No row: the writer has written nothing. */
export function findFlush(writer: string): Query<{ readonly seq: number }> {
  return query('SELECT seq FROM usage_flush WHERE writer = ?', [writer])
}

/**
 * The first statement of a flush. `seq`: above that of the flush before. Fails with `NothingChanged` if the flush is written
 * already. `time`: milliseconds since 1970.
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

/** Of writers that wrote nothing since `time`. */
export function deleteOldFlushes(time: number): Statement {
  return { sql: 'DELETE FROM usage_flush WHERE time < ?', parameters: [time] }
}
