// Every durable write of the process goes through one Writer. Writes submitted during a transaction share the
// next one (group commit).

/** A value that SQLite can store. */
export type SqlValue = null | number | bigint | string | Uint8Array

/**
 * One statement with its parameters. `require: 'change'` makes the whole Write fail with `NothingChanged` if the statement changes
 * no row, so that a condition and its effect are atomic. `rows`: runs it once for each row, with `parameters` before those of the
 * row; its count is the sum.
 */
export type Statement = {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  readonly rows?: readonly (readonly SqlValue[])[]
  readonly require?: 'change'
  /**
   * The text for PostgreSQL, with the same parameters; absent: `sql` runs on both engines (db/postgres/dialect.ts).
   * `unnest`: runs once, with `parameters` and then one array for each column of `rows`.
   */
  readonly postgres?: string | { readonly unnest: string }
}

/** The rows of one write, which a store passes on unchanged. */
export type RowChanges = readonly Statement[]

export interface Writer {
  /**
   * Runs the statements in order, all or none; resolves when they are durable, with the number of rows that each changed. A failed
   * Write does not affect others in its group. Throws Fault `no_space` if the disk or the size limit is full, `overloaded` if the
   * queue is full.
   */
  write(statements: readonly Statement[]): Promise<readonly number[]>
  /** Waits for queued writes, then closes. */
  close(): Promise<void>
}

/** `accepted`: number of writes submitted so far through this Writer, not through other ports. */
export type CountedWriter = Writer & { readonly accepted: number }

/** A statement marked `require: 'change'` changed no row; `index` is its position. */
export class NothingChanged extends Error {
  override readonly name = 'NothingChanged'
  readonly index: number
  constructor(index: number) {
    super(`statement ${index} changed no row`)
    this.index = index
  }
}

/**
 * One write of a store's statements with the caller's `rows` between them. The counts, and the index of a NothingChanged, refer to
 * `rows`.
 */
export async function withRows(
  before: RowChanges,
  rows: RowChanges,
  write: (statements: RowChanges) => Promise<readonly number[]>,
  after: RowChanges = [],
): Promise<readonly number[]> {
  if (before.length + rows.length === 0) return []
  try {
    const changes = await write([...before, ...rows, ...after])
    return changes.slice(before.length, before.length + rows.length)
  } catch (error) {
    if (error instanceof NothingChanged) throw new NothingChanged(error.index - before.length)
    throw error
  }
}
