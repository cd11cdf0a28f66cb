// `Store.read` for stores that have everything at hand: one `find` after the other.
// Tested by test/suites/store.suite.ts
import type { ContentRef } from './ref.ts'
import type { Store, ReadBatch } from './store.ts'

export async function* readFound(
  find: Store['find'],
  refs: readonly ContentRef[],
  signal: AbortSignal,
): AsyncGenerator<ReadBatch> {
  for (const ref of refs) {
    signal.throwIfAborted()
    const data = find(ref)
    yield [data === null ? null : { data, leaf: false }]
  }
}
