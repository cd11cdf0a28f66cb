// A Writer in the calling thread, for commands and tests, in which no request waits for a sync.
import { Fault } from '../base/fault.ts'
import type { Database } from './sqlite.ts'
import { createWriteGroup } from './write-group.ts'
import type { CountedWriter } from './writer.ts'

/** Does not own `db`: closing the writer leaves the connection open. */
export function createInlineWriter(db: Database): CountedWriter {
  const writeGroup = createWriteGroup(db)
  let closed = false
  let taken = 0
  return {
    async write(statements) {
      if (closed) throw new Fault('shutting_down')
      taken += 1
      const [outcome] = writeGroup([statements])
      if (outcome === undefined) throw new Error('a write without an outcome')
      if (!outcome.ok) throw outcome.error
      return outcome.changes
    },
    get accepted() {
      return taken
    },
    async close() {
      closed = true
    },
  }
}
