// Stores the blocks of a pin together with its rows. All blocks are put, including those that are already stored: the blocks that
// were put are those that the root reaches.
// Tested by src/ipfs/files.test.ts
import { Fault } from '../../base/fault.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import type { BlockStore } from '../../content/block-store.ts'
import type { Statement } from '../../db/writer.ts'
import type { StagedTree } from '../../tables/roots.ts'
import { createBlockGroups } from '../import/block-sink.ts'
import type { WalkedBlock } from '../read/walk.ts'

export type StoreProgress = {
  /** Called after each block with the counts so far. */
  readonly progress: (blocks: number, bytes: bigint) => void
  /** Called right before the commit; false: the client has disconnected, and nothing is committed. */
  readonly proceed?: () => boolean
  readonly signal: AbortSignal
}

/** The rows of a commit. `complete`: if all blocks were read; `part`: for the blocks that were read before a failure. */
export type CommitRows = {
  readonly complete: (put: StagedTree) => readonly Statement[]
  readonly part: ((put: StagedTree) => readonly Statement[]) | null
}

const tree = 0

/**
 * Stores `blocks`, with at most two groups in memory, and commits them with the rows: all or nothing, except that `part` commits
 * the blocks of a failed try. Throws the errors of `blocks` and the store, `NothingChanged` among them.
 */
export async function storeAll(
  store: BlockStore,
  blocks: AsyncIterable<WalkedBlock>,
  rows: CommitRows,
  { progress, proceed = () => true, signal }: StoreProgress,
): Promise<void> {
  const batch = store.batch()
  const put: StagedTree = { batch: batch.id, tree }
  const groups = createBlockGroups(batch.put)
  let count = 0
  let bytes = 0n

  try {
    try {
      for await (const { cid, block } of blocks) {
        signal.throwIfAborted()
        if (block === null) continue
        count += 1
        bytes += BigInt(block.length)
        progress(count, bytes)
        if (cid.multihash.code === identityCode) continue
        await groups.add(
          { ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes: block },
          tree,
        )
      }
      signal.throwIfAborted()
      if (!proceed()) throw new Fault('hung_up')
    } catch (thrown) {
      if (rows.part !== null && count > 0) await keepPart(rows.part)
      throw thrown
    }
    await groups.end()
    await batch.commit(rows.complete(put))
  } finally {
    await groups.settled()
    await batch.discard()
  }

  async function keepPart(part: (put: StagedTree) => readonly Statement[]): Promise<void> {
    try {
      await groups.end()
      await batch.commit(part(put))
    } catch {
      // The next try fetches the blocks again. The caller needs the error that ended this try.
    }
  }
}
