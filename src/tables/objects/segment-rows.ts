// Table `segment` of PostgreSQL, for comparison with the bucket.
// Tested by src/cli/doctor/object-comparison.test.ts
import { placeholders, query, type Query } from '../../db/rows.ts'

/** The next `limit` objects that blocks may refer to, by ID after `after`. */
export function listLiveSegments(
  after: number,
  limit: number,
): Query<{ readonly id: number; readonly bytes: number }> {
  return query(
    `SELECT id, bytes FROM segment WHERE id > ? AND state = 'live' ORDER BY id LIMIT ${limit}`,
    [after],
  )
}

/** The IDs that have a row, in any state. */
export function findSegmentIds(ids: readonly number[]): Query<{ readonly id: number }> {
  return query(`SELECT id FROM segment WHERE id IN (${placeholders(ids)})`, ids)
}
