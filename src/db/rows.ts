// Rows of accounts, people, pins and usage, accessed asynchronously, because their database may be on another machine. `tables/`
// creates the queries and statements. Reads that a request needs synchronously use `Database` instead of `Rows`.
// Tested by src/db/sqlite-rows.test.ts, src/db/postgres/postgres-rows.test.ts
import type { SqlValue, Statement } from './writer.ts'

/** One SELECT. `Row`: shape of its rows, as claimed by the module in `tables/` that contains the SQL. */
export type Query<Row extends object> = {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** The text for PostgreSQL, with the same parameters; absent: `sql` runs on both engines (db/postgres/dialect.ts). */
  readonly postgres?: string
  /** Never set. Carries the type of the rows. */
  readonly row?: Row
}

type RowOf<One> = One extends Query<infer Row> ? Row : never

/** The rows of several queries, in order. */
export type RowsOf<Queries extends readonly Query<object>[]> = {
  readonly [Index in keyof Queries]: readonly RowOf<Queries[Index]>[]
}

/**
 * Every implementation runs test/suites/rows.suite.ts. Reads throw `no_space`, `damaged` or `overloaded`, as those of `Database`. A
 * read that begins after a write resolved sees its changes.
 */
export interface Rows {
  /** Rows of the latest committed state. */
  find<Row extends object>(query: Query<Row>): Promise<readonly Row[]>
  /** The first row; null: none. */
  first<Row extends object>(query: Query<Row>): Promise<Row | null>
  /** As `find`, with all queries reading one state of the database. */
  snapshot<const Queries extends readonly Query<object>[]>(
    queries: Queries,
  ): Promise<RowsOf<Queries>>
  /** As `Writer.write`. */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<readonly number[]>
}

/**
 * `id`: a UUID. A write with the `id` of an earlier successful write changes nothing and resolves as the earlier one did; IDs are
 * stored for a day. `lock`: writes with the same lock run one after another, on all machines; default `rows`. `none`: the
 * statements themselves lock what they need. SQLite has one writer, which runs all writes one after another, and ignores both.
 */
export type WriteOptions = {
  readonly id?: string
  readonly lock?: WriteLock
}

export type WriteLock = 'rows' | 'usage' | 'none'

/** `Row` is the caller's claim about its SQL. `postgres`: as `Query.postgres`. */
export function query<Row extends object>(
  sql: string,
  parameters: readonly SqlValue[] = [],
  postgres?: string,
): Query<Row> {
  return postgres === undefined ? { sql, parameters } : { sql, parameters, postgres }
}

/** The greater of two SQL expressions that are not NULL: SQLite and PostgreSQL have no common function for it. */
export function greatest(one: string, other: string): string {
  return `CASE WHEN ${one} > ${other} THEN ${one} ELSE ${other} END`
}

/** One `?` per value, for the list of an `IN`. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}
