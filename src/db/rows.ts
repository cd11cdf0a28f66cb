// Rows of accounts, people, pins and usage: awaited, so that their database may be on another machine. `tables/` makes
// the queries and statements. Reads that a request needs before it may wait use `Database` instead of `Rows`.
// Tested by src/db/sqlite-rows.test.ts
import type { SqlValue, Statement } from './writer.ts'

/** One SELECT. `Row`: the shape of its rows, as the module in `tables/` that wrote the SQL claims. */
export type Query<Row extends object> = {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** Never set. Carries the type of the rows. */
  readonly row?: Row
}

type RowOf<One> = One extends Query<infer Row> ? Row : never

/** The rows of several queries, in their order. */
export type RowsOf<Queries extends readonly Query<object>[]> = {
  readonly [Index in keyof Queries]: readonly RowOf<Queries[Index]>[]
}

/**
 * Every implementation runs test/suites/rows.suite.ts. Reads throw `no_space`, `damaged` or `overloaded`, as those of
 * `Database`. A read that is begun after a write resolved sees it.
 */
export interface Rows {
  /** The rows of the latest committed state. */
  find<Row extends object>(query: Query<Row>): Promise<readonly Row[]>
  /** The first of them; null: there is none. */
  first<Row extends object>(query: Query<Row>): Promise<Row | null>
  /** As `find`, all from one state of the database. */
  snapshot<const Queries extends readonly Query<object>[]>(
    queries: Queries,
  ): Promise<RowsOf<Queries>>
  /** As `Writer.write`. */
  write(statements: readonly Statement[]): Promise<readonly number[]>
}

/** `Row` is the caller's claim about its SQL. */
export function query<Row extends object>(
  sql: string,
  parameters: readonly SqlValue[] = [],
): Query<Row> {
  return { sql, parameters }
}

/** One `?` for each value, for the list of an `IN`. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}
