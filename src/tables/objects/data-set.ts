// Table `data_set` of PostgreSQL: one row with the ID of this database's files.
// Tested by test/files/object-data-set.test.ts
import { query, type Query } from '../../db/rows.ts'

/** Returns one row. `stored`: whether any object is complete. */
export function findDataSet(): Query<{ readonly id: string; readonly stored: number }> {
  return query(
    `SELECT id, EXISTS (SELECT 1 FROM segment WHERE state = 'live') AS stored FROM data_set`,
  )
}

export function hasDataSet(): Query<{ readonly found: number }> {
  return query(`SELECT to_regclass('data_set') IS NOT NULL AS found`)
}
