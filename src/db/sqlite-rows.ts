// `Rows` of `cairn.db`. A read runs immediately, on the caller's connection, and returns a resolved promise.
// Tested by test/suites/rows.suite.ts through src/db/sqlite-rows.test.ts
import type { Query, Rows, RowsOf } from './rows.ts'
import type { Database } from './sqlite.ts'
import type { Writer } from './writer.ts'

/** `writer`: of the same database. The caller closes both. */
export function createSqliteRows(db: Database, writer: Pick<Writer, 'write'>): Rows {
  return {
    async find(one) {
      return findAll(db, one)
    },
    async first(one) {
      return findOne(db, one)
    },
    async snapshot<const Queries extends readonly Query<object>[]>(queries: Queries) {
      const read = () => queries.map((one) => findAll(db, one))
      return db.together(read) as unknown as RowsOf<Queries>
    },
    write: (statements) => writer.write(statements),
  }
}

/** Synchronous, for rows that a request needs without waiting (directory, limits, block index, chain). */
export function findAll<Row extends object>(db: Database, { sql, parameters }: Query<Row>): Row[] {
  return db.all<Row>(sql, parameters)
}

/** As `findAll`, the first row; null: none. */
export function findOne<Row extends object>(
  db: Database,
  { sql, parameters }: Query<Row>,
): Row | null {
  return db.get<Row>(sql, parameters)
}

/** For more rows than fit into memory; holds a read transaction open until the loop ends. */
export function iterate<Row extends object>(
  db: Database,
  { sql, parameters }: Query<Row>,
): Iterable<Row> {
  return db.iterate<Row>(sql, parameters)
}
