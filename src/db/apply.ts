// Runs a group of Writes in one transaction, so that they share one sync. A failed one does not affect the others.
import type { Database } from './sqlite.ts'
import { storageFault } from './storage-triggers.ts'
import { NothingChanged, type Statement } from './writer.ts'

export type Outcome =
  | { readonly ok: true; readonly changes: readonly number[] }
  | { readonly ok: false; readonly error: unknown }

/**
 * Outcomes in the order of `writes`. Durable on return (synchronous=FULL). Never throws: a failing begin or
 * commit is the outcome of every write.
 */
export function applyGroup(
  db: Database,
  writes: readonly (readonly Statement[])[],
): readonly Outcome[] {
  try {
    db.exec('BEGIN IMMEDIATE')
    const isAlone = writes.length === 1
    const outcomes: Outcome[] = []
    for (const write of writes) {
      const outcome = applyOne(db, write, isAlone)
      if (isAlone && !outcome.ok && db.inTransaction) db.exec('ROLLBACK')
      if (!db.inTransaction) return alone(db, writes, outcome)
      outcomes.push(outcome)
    }
    db.exec('COMMIT')
    return outcomes
  } catch (error) {
    rollBack(db)
    return writes.map(() => ({ ok: false, error }))
  }
}

// A full disk can make SQLite roll back the whole transaction. Each write then gets a separate transaction, so that those that fit
// are stored.
function alone(
  db: Database,
  writes: readonly (readonly Statement[])[],
  outcome: Outcome,
): readonly Outcome[] {
  if (writes.length === 1) return [outcome]
  return writes.flatMap((write) => applyGroup(db, [write]))
}

/** A disk error may already have ended the transaction, and may fail here too; then the next BEGIN fails. */
function rollBack(db: Database): void {
  try {
    if (db.inTransaction) db.exec('ROLLBACK')
  } catch {
    // The original error is the outcome.
  }
}

/** `isAlone`: the only write of the transaction, which is rolled back if it fails, so SQLite need not create a savepoint. */
function applyOne(db: Database, write: readonly Statement[], isAlone: boolean): Outcome {
  const undoesItself = isAlone || isRunOnce(write)
  try {
    if (!undoesItself) db.run('SAVEPOINT one')
    const changes = write.map((statement, index) => {
      const changed = runStatement(db, statement)
      if (statement.require === 'change' && changed === 0) throw new NothingChanged(index)
      return changed
    })
    if (!undoesItself) db.run('RELEASE one')
    return { ok: true, changes }
  } catch (error) {
    if (!undoesItself && db.inTransaction) {
      db.run('ROLLBACK TO one')
      db.run('RELEASE one')
    }
    return { ok: false, error: storageFault(error) }
  }
}

/** SQLite reverts a failed statement, and a statement that changed no row had no effect. */
function isRunOnce([first, second]: readonly Statement[]): boolean {
  return first !== undefined && second === undefined && (first.rows?.length ?? 1) === 1
}

function runStatement(db: Database, { sql, parameters, rows }: Statement): number {
  if (rows === undefined) return db.run(sql, parameters)
  let changed = 0
  for (const row of rows) changed += db.run(sql, [...parameters, ...row])
  return changed
}
