// Rows in `cairn.db`: reads run in the caller's turn, on its connection; the promise is for callers alone.
import type { Clock } from '../base/clock.ts'
import { query, type Query, type RevisionName, type Rows, type RowsOf } from './rows.ts'
import type { Database } from './sqlite.ts'
import type { Writer } from './writer.ts'

const revisionPeriodMs = 1000

export const revisionOf = (name: RevisionName): Query<{ number: number }> =>
  query('SELECT number FROM revision WHERE name = ?', [name])

/** `writer`: of the same database. Owns neither. */
export function createSqliteRows(parts: {
  readonly db: Database
  readonly writer: Pick<Writer, 'write'>
  readonly clock: Pick<Clock, 'every'>
}): Rows {
  const { db, writer, clock } = parts

  /** Null: it cannot be read. */
  function revision(name: RevisionName): number | null {
    try {
      return findOne(db, revisionOf(name))?.number ?? 0
    } catch {
      return null
    }
  }

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
    onRevision(name, changed) {
      let last = revision(name)
      return clock.every(revisionPeriodMs, () => {
        const now = revision(name)
        if (now !== null && now === last) return
        last = now
        changed()
      })
    },
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
