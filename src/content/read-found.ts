// `BlockStore.read` for stores in memory: one `peek` after another.
// Tested by test/suites/block-store.suite.ts
import type { ContentRef } from './ref.ts'
import type { ReadBatch } from './block-store.ts'

export async function* readFound(
  peek: (ref: ContentRef) => Uint8Array | null,
  refs: readonly ContentRef[],
  signal: AbortSignal,
): AsyncGenerator<ReadBatch> {
  for (const ref of refs) {
    signal.throwIfAborted()
    const data = peek(ref)
    yield [data === null ? null : { data, leaf: false }]
  }
}
