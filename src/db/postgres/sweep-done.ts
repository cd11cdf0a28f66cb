// Deletes the IDs of writes that can no longer be repeated.
// Tested by src/db/postgres/done.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Connections } from './connections.ts'

const periodMs = 60_000
/** Rows of one statement, which must end within the statement's time limit. */
const rowsMax = 10_000
const stepsMax = 1000
const sweepSql = `DELETE FROM done WHERE id IN (SELECT id FROM done WHERE until < now() LIMIT ${rowsMax})`

/** Resolves to the number of deleted rows. */
export async function sweepDone(connections: Pick<Connections, 'lend'>): Promise<number> {
  let deleted = 0
  for (let step = 0; step < stepsMax; step += 1) {
    const { changed } = await connections.lend((one) => one.run(sweepSql, []))
    deleted += changed
    if (changed < rowsMax) break
  }
  return deleted
}

/** Runs each minute; the returned function stops it. */
export function sweepDoneAlways(parts: {
  readonly connections: Pick<Connections, 'lend'>
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}): () => void {
  let sweeping = false
  return parts.clock.every(periodMs, () => {
    if (sweeping) return
    sweeping = true
    sweepDone(parts.connections)
      .catch(parts.onError)
      .finally(() => (sweeping = false))
  })
}
