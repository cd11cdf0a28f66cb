// Unreferenced roots are taken apart in steps, so that a large one never holds the writer for long.
// Each step says in the rows how far it came: a crash in between loses nothing.
// Tested by src/ipfs/pins/roots.test.ts
import { findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
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
export async function releaseStep(
  database: Database,
  writer: Pick<Writer, 'write'>,
): Promise<boolean> {
  const releasing = findOne(database, firstReleasing())
  if (releasing !== null) {
    const last = lastOfStep(database, releasing.root, releasing.after)
    await writer.write(releaseBlocks(releasing, last))
    return true
  }
  const root = findOne(database, firstUnreferencedRoot())?.id
  if (root === undefined) return false
  await writer.write(deleteClosure(root, lastOfStep(database, root, -1)))
  return true
}

/** The ID of the block that ends a step; null: the rest is no more than a step. */
function lastOfStep(database: Database, root: number, after: number): number | null {
  return findOne(database, lastBlockOfStep(root, after, stepBlocks))?.block ?? null
}
