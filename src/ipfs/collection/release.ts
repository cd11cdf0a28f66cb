// Unreferenced roots are taken apart in steps, so that a large one never holds the writer for long.
// Each step says in the rows how far it came: a crash in between loses nothing.
// Tested by src/ipfs/pins/roots.test.ts
import type { Rows } from '../../db/rows.ts'
import {
  deleteClosure,
  firstReleasing,
  firstUnreferencedRoot,
  lastBlockOfStep,
  releaseBlocks,
} from '../../tables/released-roots.ts'

/** Blocks of one step. */
const stepBlocks = 1000

/** One step of what there is to do; false when there was nothing. Not to be run twice at a time. */
export async function releaseStep(rows: Rows): Promise<boolean> {
  const releasing = await rows.first(firstReleasing())
  if (releasing !== null) {
    const last = await lastOfStep(rows, releasing.root, releasing.after)
    await rows.write(releaseBlocks(releasing, last))
    return true
  }
  const root = (await rows.first(firstUnreferencedRoot()))?.id
  if (root === undefined) return false
  await rows.write(deleteClosure(root, await lastOfStep(rows, root, -1)))
  return true
}

/** The ID of the block that ends a step; null: the rest is no more than a step. */
async function lastOfStep(rows: Rows, root: number, after: number): Promise<number | null> {
  return (await rows.first(lastBlockOfStep(root, after, stepBlocks)))?.block ?? null
}
