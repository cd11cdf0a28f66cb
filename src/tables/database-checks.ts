// Table `database_check`: time of the last full check of the database, in one row.
// Tested by test/faults/database-check.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** `checked`: milliseconds since 1970 UTC. */
export function findLastCheck(): Query<{ readonly checked: number }> {
  return query('SELECT checked FROM database_check WHERE id = 1')
}

export function setLastCheck(time: number): Statement {
  return {
    sql: 'INSERT OR REPLACE INTO database_check (id, checked) VALUES (1, ?)',
    parameters: [time],
  }
}
