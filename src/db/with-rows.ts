// One write of the store's statements with the caller's rows between them. Counts, and the index of a NothingChanged,
// refer to the caller's rows.
// Tested by test/suites/block-store.suite.ts
import { NothingChanged, type RowChanges } from './writer.ts'

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
