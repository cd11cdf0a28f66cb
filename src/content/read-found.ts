// `Store.read` for stores that have everything at hand: one `find` after the other.
// Tested by test/suites/store.suite.ts
import type { ContentRef } from './ref.ts'
import type { Store, StoredGroup } from './store.ts'

export async function* readFound(
  find: Store['find'],
  refs: readonly ContentRef[],
  signal: AbortSignal,
): AsyncGenerator<StoredGroup> {
  for (const ref of refs) {
    signal.throwIfAborted()
    const data = find(ref)
    yield [data === null ? null : { data, leaf: false }]
  }
}
