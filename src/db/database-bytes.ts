// Disk usage of a database, by its pages.
// Tested by src/content/segments/segment-files.test.ts
import type { Database } from './sqlite.ts'
import type { Statement } from './writer.ts'

export function databaseBytes(db: Database): number {
  return (db.getValue<number>('PRAGMA page_count') ?? 0) * pageBytes(db)
}

/** Excludes pages that are free for new rows. */
export function usedDatabaseBytes(db: Database): number {
  return databaseBytes(db) - (db.getValue<number>('PRAGMA freelist_count') ?? 0) * pageBytes(db)
}

/** Set when the database was created. */
export function pageBytes(db: Database): number {
  return db.getValue<number>('PRAGMA page_size') ?? 4096
}

/** Limits the database size on the connection that runs this statement. */
export function limitPages(pages: number): Statement {
  return { sql: `PRAGMA max_page_count = ${pages}`, parameters: [] }
}
