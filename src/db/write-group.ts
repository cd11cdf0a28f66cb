// Rule of every Writer after a failed sync: stops writing permanently, because the state of the device is unknown (a second fsync
// may succeed without having written any data).
import { Fault } from '../base/fault.ts'
import { applyGroup, type Outcome } from './apply.ts'
import { isSyncFailure, type Database } from './sqlite.ts'
import type { Statement } from './writer.ts'

/** As `applyGroup` until a sync fails; then every write fails with `no_space`. */
export function createWriteGroup(
  db: Database,
): (writes: readonly (readonly Statement[])[]) => readonly Outcome[] {
  let broken: unknown = null
  return (writes) => {
    if (broken !== null) {
      const error = new Fault('no_space', { cause: broken })
      return writes.map(() => ({ ok: false, error }))
    }
    const outcomes = applyGroup(db, writes)
    for (const outcome of outcomes) {
      if (!outcome.ok && isSyncFailure(outcome.error)) broken = outcome.error
    }
    return outcomes
  }
}
