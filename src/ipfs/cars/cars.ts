// CAR import and export for one account: implements the CAR methods of src/ipfs/files.ts.
// Tested by src/kubo/commands/dag/cars.test.ts
import type { CID } from 'multiformats/cid'
import { type CarBlock, writeCar } from '../../codec/ipld/car-writer.ts'
import type { BlockReader, OpenBlocks } from '../read/blocks.ts'
import { readInRuns } from '../read/read-in-runs.ts'
import { type ReadSome, storedOnly, walkBlocks } from '../read/walk.ts'
import type { Clock } from '../../base/clock.ts'
import type { BlockStore } from '../../content/block-store.ts'
import type { FetchPolicy, Files, Pin } from '../files.ts'
import { importCars } from './import-cars.ts'
import { leaseStatements } from '../pins/leases.ts'
import { deleteLease } from '../../tables/leases.ts'
import { looseRoot, pinnedBy, pinStatements } from '../pins/pin-rows.ts'

/**
 * Includes identity blocks, as Kubo does. Yields nothing before the root's block was read. `partial`: omits blocks that `read` does
 * not have, and all blocks only reachable through them; otherwise such a block ends the file, cut short. Throws the errors of
 * `read`, and `command_failed` for DAGs over the limits of a walk.
 */
async function* exportCar(
  root: CID,
  { partial, blocksMax }: { readonly partial: boolean; readonly blocksMax: number },
  read: BlockReader,
): AsyncGenerator<Uint8Array> {
  if (partial) await read(root)
  yield* writeCar([root], blocksOf(root, blocksMax, partial ? storedOnly(read) : readInRuns(read)))
}

async function* blocksOf(root: CID, blocksMax: number, read: ReadSome): AsyncGenerator<CarBlock> {
  for await (const { cid, block } of walkBlocks(root, new Map(), blocksMax, read)) {
    if (block !== null) yield { cid, block }
  }
}

export type CarSettings = {
  readonly store: BlockStore
  readonly clock: Clock
  readonly openBlocks: OpenBlocks
  readonly pins: Pick<Files, 'pin'>
  /** Maximum number of blocks of one import. */
  readonly importBlocksMax: number
  /** Maximum number of distinct blocks of one pin, and of one export. */
  readonly pinBlocksMax: number
  /** How long uploaded blocks that are not pinned are stored. */
  readonly unpinnedMs: number
  /** Called after a commit of new blocks, for callers that wait for content. */
  readonly committed: () => void
}

/** Roots are pinned from stored blocks only: an import uses no source. */
const storedAlone: FetchPolicy = { offline: true, timeoutMs: null }

export function createCars(settings: CarSettings): Pick<Files, 'importCars' | 'exportCar'> {
  const { store, clock, openBlocks, pins, unpinnedMs, committed } = settings
  return {
    importCars(cars, options, { accountId, provide, keyId, proceed, signal }) {
      const pinOf = (cid: CID): Pin => ({
        cid,
        mode: 'recursive',
        name: '',
        ...pinnedBy({ provide, keyId }),
      })
      return importCars(cars, options, {
        blocksMax: settings.importBlocksMax,
        pinBlocksMax: settings.pinBlocksMax,
        batch: () => store.batch(),
        committed,
        pinRows: (cid, put) => pinStatements(accountId, pinOf(cid), put, clock.now()),
        lease: (put) => {
          const expires = clock.now() + unpinnedMs
          return leaseStatements(accountId, looseRoot(put.batch), put, { expires })
        },
        release: async ({ batch }) => {
          await store.put([], [deleteLease(accountId, looseRoot(batch))])
        },
        pin: async (cid, walked) => {
          await pins.pin(accountId, pinOf(cid), storedAlone, walked, signal)
        },
        proceed,
        signal,
      })
    },

    exportCar: (cid, partial, patience, signal) => {
      const read = openBlocks(patience, signal)
      return exportCar(cid, { partial, blocksMax: settings.pinBlocksMax }, read)
    },
  }
}
