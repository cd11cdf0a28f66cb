// Reads of one turn of the event loop share one read transaction: acquiring and releasing its locks costs as much as
// finding a row. For immutable rows: a found row may be as old as the turn; a missing one is read again from the
// current database.
import type { Database } from './sqlite.ts'
import type { SqlValue } from './writer.ts'

export type TurnReads = {
  /** As `Database.getValue`; null only when no commit before this call left such a row. */
  getValue<Value extends SqlValue>(sql: string, parameters: readonly SqlValue[]): Value | null
  /** What is read from now on is as new as now: for rows that were taken away. */
  renew(): void
}

/**
 * `db`: a connection without other readers. `onFailure`: the turn's transaction could not be ended; the next read
 * tries again, and throws if it cannot.
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
    // An error of the disk ends it by itself, and so does a connection that closes.
    if (!db.inTransaction) return
    try {
      db.run('COMMIT')
    } catch (error) {
      onFailure(error)
    }
  }

  function begin(): void {
    // One that could not be ended: it would show the rows of another turn.
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
