// Rows for work that only one process of a service may do at a time: each write begins with a statement that fails if another
// process has taken over, so that a paused process commits nothing.
// Tested by test/files/object-collection.test.ts
import type { Rows } from './rows.ts'
import { NothingChanged, type Statement } from './writer.ts'

/** Row counts, and the index of a NothingChanged, refer to the given statements; -1: `fence` failed. */
export function createFencedRows(rows: Rows, fence: Statement): Rows {
  return {
    find: (query) => rows.find(query),
    first: (query) => rows.first(query),
    snapshot: (queries) => rows.snapshot(queries),
    async write(statements, options) {
      try {
        return (await rows.write([fence, ...statements], options)).slice(1)
      } catch (error) {
        if (error instanceof NothingChanged) throw new NothingChanged(error.index - 1)
        throw error
      }
    },
  }
}
