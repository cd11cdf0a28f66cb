// Rows in `cairn.db`: reads run in the caller's turn, on its connection; the promise is for callers alone.
import type { Query, Rows, RowsOf } from './rows.ts'
import type { Database } from './sqlite.ts'
import type { Writer } from './writer.ts'

/** `writer`: of the same database. Owns neither. */
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

/** In this turn, for what a request needs before it may wait: directory, limits, block index, chain content. */
export function findAll<Row extends object>(db: Database, { sql, parameters }: Query<Row>): Row[] {
  return db.all<Row>(sql, parameters)
}

/** As `findAll`, the first row; null: there is none. */
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
