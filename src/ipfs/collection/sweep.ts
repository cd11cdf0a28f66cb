// Takes unreferenced roots apart and forgets the blocks that no account stores, in steps, between which other work and writes
// get their turn. Needs no lock: the writes decide by their conditions.
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

/** One step of what there is to do; false when there was nothing. Not to be run twice at a time. */
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

/** The ID of the block that ends a step; null: the rest is no more than a step. */
async function lastOfStep(rows: Rows, root: number, after: number): Promise<number | null> {
  return (await rows.first(findLastBlockOfStep(root, after, stepBlocks)))?.block ?? null
}

/** Blocks, and the bytes of them that were stored. */
export type Swept = { readonly blocks: number; readonly bytes: number }

/** Blocks that one step looks at, and that one write forgets: a millisecond each, for an add waits behind it. */
const lookBlocks = 500
const deletedBlocksMax = 100

type Loose = { readonly hash: Uint8Array; readonly size: number }
type Looked = {
  /** The last one looked at; null: there are no more. */
  readonly end: number | null
  readonly range: BlockRange
  readonly loose: readonly Loose[]
}

/** `live`: what is left, by segment. */
export type SweepResult = Swept & { readonly live: ReadonlyMap<number, LiveBlocks> }

/** `before`: only what came before this time. Stops with the signal between two steps; what is deleted stays so. */
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
      // Nearly always all of them; else the share of it that they are.
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
