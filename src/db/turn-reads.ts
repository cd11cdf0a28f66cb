// Reads within one turn of the event loop share one read transaction: acquiring and releasing its locks costs as much as finding a
// row. For immutable rows: a found row may be as old as the start of the turn; a missing one is looked up again in the current
// database.
import type { Database } from './sqlite.ts'
import type { SqlValue } from './writer.ts'

export type TurnReads = {
  /** As `Database.getValue`; null only if no commit before this call contains such a row. */
  getValue<Value extends SqlValue>(sql: string, parameters: readonly SqlValue[]): Value | null
  /** Later reads see the current state; for rows that were deleted. */
  renew(): void
}

/**
 * `db`: a connection without other readers. `onFailure`: called if the turn's transaction could not be ended; the next read tries
 * again, and throws if that fails too.
 */
export function createTurnReads(
  db: Database,
  onFailure: (error: unknown) => void = () => {},
): TurnReads {
  let begun = false
  let ending = false

  function end(): void {
    if (!begun) return
    begun = false
    // A disk error ends the transaction by itself, and so does closing the connection.
    if (!db.inTransaction) return
    try {
      db.run('COMMIT')
    } catch (error) {
      onFailure(error)
    }
  }

  function begin(): void {
    // A transaction that could not be ended would show the rows of an earlier turn.
    if (db.inTransaction) db.run('ROLLBACK')
    db.run('BEGIN')
    begun = true
    if (ending) return
    ending = true
    setImmediate(() => {
      ending = false
      end()
    })
  }

  return {
    getValue<Value extends SqlValue>(sql: string, parameters: readonly SqlValue[]): Value | null {
      const isNew = !begun || !db.inTransaction
      if (isNew) begin()
      const value = db.getValue<Value>(sql, parameters)
      if (value !== null || isNew) return value
      end()
      begin()
      return db.getValue<Value>(sql, parameters)
    },
    renew: end,
  }
}
