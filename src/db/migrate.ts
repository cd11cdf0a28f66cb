// Migrates a database to the newest schema. Forward only, all or nothing.
import { migrations } from './migrations.ts'
import type { Database } from './sqlite.ts'

/** Runs missing migrations in one transaction. Throws, without changes, on a database newer than this program. */
export function migrate(
  db: Database,
  steps: readonly (readonly string[])[] = migrations,
): { readonly from: number; readonly to: number } {
  db.exec('BEGIN IMMEDIATE')
  try {
    const from = schemaVersion(db)
    if (from > steps.length) {
      throw new Error(
        `the database has schema version ${from}, this Cairn knows versions up to ${steps.length}: start a newer Cairn`,
      )
    }
    for (const step of steps.slice(from)) for (const sql of step) db.exec(sql)
    db.exec(`PRAGMA user_version = ${steps.length}`)
    db.exec('COMMIT')
    return { from, to: steps.length }
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Number of migrations that ran on this database. */
export function schemaVersion(db: Database): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}
