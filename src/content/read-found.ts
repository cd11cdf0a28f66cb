// `Store.read` for stores in memory: one `find` after another.
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
