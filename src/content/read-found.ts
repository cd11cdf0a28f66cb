// `BlockStore.read` for stores in memory: one `peek` after another.
// Tested by test/suites/block-store.suite.ts
import type { ContentRef } from './ref.ts'
import type { BlockStore, ReadBatch } from './block-store.ts'

export async function* readFound(
  peek: BlockStore['peek'],
  refs: readonly ContentRef[],
  signal: AbortSignal,
): AsyncGenerator<ReadBatch> {
  for (const ref of refs) {
    signal.throwIfAborted()
    const data = peek(ref)
    yield [data === null ? null : { data, leaf: false }]
  }
}
