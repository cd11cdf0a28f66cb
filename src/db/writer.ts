// Every durable write of the process goes through one Writer. Writes submitted during a transaction share the
// next one (group commit).

/** A value SQLite stores. */
export type SqlValue = null | number | bigint | string | Uint8Array

/**
 * One statement with its parameters. `require: 'change'` makes the whole Write fail with
 * `NothingChanged` when the statement changes no row, so that a condition and its effect are atomic.
 * `rows`: it runs once for each, with `parameters` before those of the row; it changed what they changed together.
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

/** The rows of one write; a store passes them on without looking. */
export type RowChanges = readonly Statement[]

export interface Writer {
  /**
   * Runs the statements in order, all or none, and resolves when they are durable, with the number of
   * rows each changed. A Write that fails does not touch others in its group. Throws Fault `no_space` when
   * the disk or the size limit is full, `overloaded` when the queue is full.
   */
  write(statements: readonly Statement[]): Promise<readonly number[]>
  /** Waits for queued writes, then closes. */
  close(): Promise<void>
}

/** `taken`: how many writes were handed in so far, here and not through other ports. */
export type CountedWriter = Writer & { readonly taken: number }

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
 * One write of a store's statements with the caller's `rows` between them. The counts, and the index of a NothingChanged,
 * are those of `rows`.
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
