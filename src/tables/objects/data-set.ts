// Table `data_set` of PostgreSQL: one row, the ID of the files of this database.
// Tested by test/files/object-data-set.test.ts
import { query, type Query } from '../../db/rows.ts'

/** One row. `stored`: whether any object is complete. */
export function findDataSet(): Query<{ readonly id: string; readonly stored: number }> {
  return query(
    `SELECT id, EXISTS (SELECT 1 FROM segment WHERE state = 'live') AS stored FROM data_set`,
  )
}
