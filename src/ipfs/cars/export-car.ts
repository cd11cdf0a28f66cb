// A DAG as a CARv1: its root in the header, then every block below it once, each before what it links to. Blocks that
// lie in their own CIDs are left out, as every reader has them already.
// Tested by src/kubo/commands/dag/cars.test.ts
import type { CID } from 'multiformats/cid'
import { writeCar, type CarBlock } from '../../codec/ipld/car-writer.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import type { BlockReader } from '../read/blocks.ts'
import { readInRuns } from '../read/read-in-runs.ts'
import { type ReadSome, storedOnly, walkBlocks } from '../read/walk.ts'

/**
 * Nothing is given before the root's block is there. `partial`: leaves out what `read` does not have, and all that is
 * only below it; else that ends the file, cut short. Throws what `read` throws, and `command_failed` for DAGs that
 * pass the bounds of a walk.
 */
export async function* exportCar(
  root: CID,
  { partial, blocksMax }: { readonly partial: boolean; readonly blocksMax: number },
  read: BlockReader,
): AsyncGenerator<Uint8Array> {
  if (partial) await read(root)
  yield* writeCar([root], blocksOf(root, blocksMax, partial ? storedOnly(read) : readInRuns(read)))
}

async function* blocksOf(root: CID, blocksMax: number, read: ReadSome): AsyncGenerator<CarBlock> {
  for await (const { cid, block } of walkBlocks(root, new Map(), blocksMax, read)) {
    if (block !== null && cid.multihash.code !== identityCode) yield { cid, block }
  }
}
