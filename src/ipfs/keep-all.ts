// Blocks that were read for a pin, into the store together with the pin's row: what is on its way there from
// an earlier fetch does not count as kept.
// Tested by src/ipfs/files.test.ts
import { Fault } from '../base/fault.ts'
import { identityCode } from '../codec/multihash.ts'
import type { ContentRef, Item } from '../content/ref.ts'
import type { Store } from '../content/store.ts'
import type { Statement } from '../db/writer.ts'
import { groupBytes } from './block-sink.ts'
import type { WalkedBlock } from './walk.ts'

export type KeepWatch = {
  /** Told the counts so far after each block. */
  readonly progress: (blocks: number, bytes: bigint) => void
  /** Asked right before the commit: false = the caller is gone, commit nothing. */
  readonly proceed?: () => boolean
  readonly signal: AbortSignal
}

/**
 * Keeps those of `blocks` that the store lacks, at most one group in memory, and commits them with `rows`: all or
 * nothing. Throws what `blocks` and the store throw, `NothingChanged` among them.
 */
export async function keepAll(
  store: Store,
  blocks: AsyncIterable<WalkedBlock>,
  rows: readonly Statement[],
  { progress, proceed = () => true, signal }: KeepWatch,
): Promise<void> {
  const batch = store.batch()
  let group: Item[] = []
  let held = 0
  let count = 0
  let bytes = 0n
  try {
    for await (const { cid, block } of blocks) {
      signal.throwIfAborted()
      if (block === null) continue
      count += 1
      bytes += BigInt(block.length)
      progress(count, bytes)
      const ref: ContentRef = { kind: 'dag-block', hash: cid.multihash.bytes }
      if (cid.multihash.code === identityCode || store.has(ref)) continue
      if (held + block.length > groupBytes) {
        await batch.put(group)
        group = []
        held = 0
      }
      group.push({ ref, bytes: block })
      held += block.length
    }
    signal.throwIfAborted()
    if (!proceed()) throw new Fault('hung_up')
    if (group.length > 0) await batch.put(group)
    await batch.commit(rows)
  } finally {
    await batch.discard()
  }
}
