// Takes unreferenced roots apart and deletes blocks that no account stores, in steps between which other work and writes run. Needs
// no lock: the conditions of the writes decide.
// Tested by src/ipfs/collection/garbage-collector.test.ts
import type { Rows } from '../../db/rows.ts'
import {
  deleteClosure,
  findFirstReleasing,
  findFirstUnreferencedRoot,
  findLastBlockOfStep,
  releaseBlocks,
} from '../../tables/released-roots.ts'
import type { DutyCycle } from '../../base/duty-cycle.ts'
import type { DeleteBlocks, LiveBlocks } from '../../content/block-store.ts'
import {
  type BlockRange,
  findLastBlockOfScan,
  listLiveBlocks,
  listUnreferencedBlocks,
} from '../../tables/block-scans.ts'

/** Blocks of one step. */
const stepBlocks = 1000

/** Runs one step of releasing; false: there was nothing to do. Must not run concurrently. */
export async function releaseStep(rows: Rows): Promise<boolean> {
  const releasing = await rows.first(findFirstReleasing())
  if (releasing !== null) {
    const last = await lastOfStep(rows, releasing.root, releasing.after)
    await rows.write(releaseBlocks(releasing, last))
    return true
  }
  const root = (await rows.first(findFirstUnreferencedRoot()))?.id
  if (root === undefined) return false
  await rows.write(deleteClosure(root, await lastOfStep(rows, root, -1)))
  return true
}

/** The ID of the last block of a step; null: the rest fits in one step. */
async function lastOfStep(rows: Rows, root: number, after: number): Promise<number | null> {
  return (await rows.first(findLastBlockOfStep(root, after, stepBlocks)))?.block ?? null
}

/** Deleted blocks, and their stored bytes. */
export type Swept = { readonly blocks: number; readonly bytes: number }

/** Blocks that one step reads, and that one write deletes: about a millisecond each, because uploads wait for it. */
const lookBlocks = 500
const deletedBlocksMax = 100

type Loose = { readonly hash: Uint8Array; readonly size: number }
type Looked = {
  /** The last block of the step; null: there are no more. */
  readonly end: number | null
  readonly range: BlockRange
  readonly loose: readonly Loose[]
}

/** `live`: the remaining blocks, by segment. */
export type SweepResult = Swept & { readonly live: ReadonlyMap<number, LiveBlocks> }

/** `before`: only blocks stored before this time. The signal stops it between two steps; completed deletions remain. */
export async function sweep(
  parts: {
    readonly rows: Rows
    readonly deleteBlocks: DeleteBlocks
    readonly dutyCycle: DutyCycle
  },
  before: number,
  signal: AbortSignal,
): Promise<SweepResult> {
  const { rows, deleteBlocks, dutyCycle } = parts
  const swept = { blocks: 0, bytes: 0 }
  const live = new Map<number, LiveBlocks>()
  let after = 0
  for (;;) {
    signal.throwIfAborted()
    const look = async (): Promise<Looked> => {
      const end = (await rows.first(findLastBlockOfScan(after, lookBlocks)))?.id ?? null
      const range = { after, last: end ?? Number.MAX_SAFE_INTEGER }
      return { end, range, loose: await rows.find(listUnreferencedBlocks(range, before)) }
    }
    const { end, range, loose } = await dutyCycle.step(0, look, signal)
    for (let at = 0; at < loose.length; at += deletedBlocksMax) {
      signal.throwIfAborted()
      const step = loose.slice(at, at + deletedBlocksMax)
      const deleted = await dutyCycle.step(
        1,
        () => deleteBlocks(step.map(({ hash }) => hash)),
        signal,
      )
      swept.blocks += deleted
      const bytes = step.reduce((sum, { size }) => sum + size, 0)
      // Nearly always all of them were deleted; otherwise estimates by the deleted share.
      swept.bytes += Math.round((bytes * deleted) / step.length)
    }
    const left = () => rows.find(listLiveBlocks(range))
    for (const { file, ...part } of await dutyCycle.step(0, left, signal)) {
      const sum = live.get(file)
      const { bytes, first } = sum ?? { bytes: 0, first: part.first }
      live.set(file, { bytes: bytes + part.bytes, first, last: part.last })
    }
    if (end === null) return { ...swept, live }
    after = end
  }
}
