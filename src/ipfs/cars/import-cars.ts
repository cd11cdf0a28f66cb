// Imports CAR files: hashes each block on arrival and commits all of them together. Pins each root whose DAG is complete, in the
// same commit if it is the only root. Never fetches missing blocks.
// Tested by src/kubo/commands/dag/cars.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { carLimits, openCar } from '../../codec/ipld/car-reader.ts'
import type { CarBlock } from '../../codec/ipld/car-writer.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import type { Batch } from '../../content/block-store.ts'
import type { Statement } from '../../db/writer.ts'
import { createBlockGroups } from '../import/block-sink.ts'
import { createCarClosure } from './car-closure.ts'
import type { StagedTree } from '../../tables/roots.ts'

export type CarImportOptions = {
  readonly pinRoots: boolean
  /** Maximum bytes of one block; `tooBig`: the error message for a larger one. */
  readonly blockBytesMax: number
  readonly tooBig: string
}

export type CarImportEvent =
  /** `error`: why it was not pinned; '' if it was. */
  | { readonly kind: 'root'; readonly cid: CID; readonly error: string }
  /** The last event. Counts blocks as the files list them: repeated blocks count each time. */
  | { readonly kind: 'imported'; readonly blocks: number; readonly bytes: bigint }

export type CarImportContext = {
  /** Maximum number of blocks of one request. */
  readonly blocksMax: number
  /** Maximum number of blocks of one recursive pin. */
  readonly pinBlocksMax: number
  readonly batch: () => Batch
  /** Called after the commit, for callers that wait for content. */
  readonly committed: () => void
  /** The rows of a root's pin, used if the imported blocks are exactly those below the root. */
  readonly pinRows: (root: CID, put: StagedTree) => readonly Statement[]
  /** The rows of the lease that stores all imported blocks until they are pinned or the lease expires. */
  readonly lease: (put: StagedTree) => readonly Statement[]
  /** Ends the lease: every root is pinned. */
  readonly release: (put: StagedTree) => Promise<void>
  /** Pins a root from stored blocks, and calls `walked` for each block. */
  readonly pin: (root: CID, walked: () => void) => Promise<void>
  readonly proceed: () => boolean
  readonly signal: AbortSignal
}

/** Entries of the closure that checks whether the DAG of the root is complete: about 30 MB at most. */
const closureEntriesMax = 200_000
/** Tree number in the batch: all blocks belong to one lease. */
const tree = 0

/**
 * The generator of `Files.importCars`. Stores all blocks of all files or none, with at most two groups in memory; if it ends early,
 * the staged blocks are discarded.
 */
export async function* importCars(
  cars: AsyncIterable<AsyncIterable<Uint8Array>>,
  options: CarImportOptions,
  context: CarImportContext,
): AsyncGenerator<CarImportEvent> {
  const { blocksMax, signal } = context
  const limits = carLimits
  const roots = new Map<string, CID>()
  const count = { blocks: 0, bytes: 0n }
  const batch = context.batch()
  const put: StagedTree = { batch: batch.id, tree }
  const groups = createBlockGroups(batch.put)
  const closure = createCarClosure(Math.min(closureEntriesMax, context.pinBlocksMax))
  let completeRoot: CID | null = null
  try {
    for await (const car of cars) await importOne(car)
    await groups.end()
    signal.throwIfAborted()
    if (!context.proceed()) throw new Fault('hung_up')
    completeRoot = findCompleteRoot()
    await batch.commit(completeRoot === null ? lease() : context.pinRows(completeRoot, put))
    context.committed()
  } finally {
    await groups.settled()
    await batch.discard()
  }
  if (completeRoot !== null) yield { kind: 'root', cid: completeRoot, error: '' }
  else if (options.pinRoots && roots.size > 0) {
    if (yield* pinAll([...roots.values()], context)) await context.release(put)
  }
  yield { kind: 'imported', ...count }

  /** The only root, if the imported blocks are exactly those below it. */
  function findCompleteRoot(): CID | null {
    const [root] = roots.values()
    if (root === undefined || roots.size > 1 || !options.pinRoots) return null
    return closure.isAllBelow(root) ? root : null
  }

  function lease(): readonly Statement[] {
    return count.blocks === 0 ? [] : context.lease(put)
  }

  async function importOne(file: AsyncIterable<Uint8Array>): Promise<void> {
    let where = 'import failed'
    try {
      const car = await openCar(file, limits)
      for (const root of car.roots) roots.set(root.toString(), root)
      if (roots.size > limits.rootsMax) throw failed(`more than ${limits.rootsMax} roots`)
      for await (const block of car.blocks) {
        signal.throwIfAborted()
        where = `import failed at block ${JSON.stringify(block.cid.toString())}`
        await keep(block)
        where = `import failed after block ${JSON.stringify(block.cid.toString())}`
      }
    } catch (thrown) {
      throw withPlace(where, thrown)
    }
  }

  async function keep({ cid, block }: CarBlock): Promise<void> {
    count.blocks += 1
    count.bytes += BigInt(block.length)
    if (count.blocks > blocksMax) {
      throw new Fault('too_large', { detail: `request has more than ${blocksMax} blocks` })
    }
    if (block.length > options.blockBytesMax) throw failed(options.tooBig)
    const hash = cid.multihash.bytes
    verifyDagBlock(hash, block)
    if (cid.multihash.code === identityCode) return
    if (options.pinRoots) closure.add(cid, block)
    await groups.add({ ref: { kind: 'dag-block', hash }, bytes: block }, tree)
  }
}

/**
 * Pins each root once, in the order of the headers. An error that prevents a pin is reported, and the other roots are still pinned.
 * Returns true if all were pinned.
 */
async function* pinAll(
  roots: readonly CID[],
  { blocksMax, pin, signal }: CarImportContext,
): AsyncGenerator<CarImportEvent, boolean> {
  let whole = true
  // Many roots may share blocks, so one limit applies to all walks together.
  let left = blocksMax
  const walked = (): void => {
    if (left === 0) throw failed(`DAGs of the roots have more than ${blocksMax} blocks together`)
    left -= 1
  }
  for (const cid of roots) {
    signal.throwIfAborted()
    let error = ''
    try {
      await pin(cid, walked)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || !preventsPin(thrown)) throw thrown
      error = thrown.message.replace(/^pin: /, '')
      whole = false
    }
    yield { kind: 'root', cid, error }
  }
  return whole
}

/** Adds the position to errors of the files; leaves refusals of the server unchanged. */
function withPlace(where: string, thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || !ofContent(thrown)) return thrown
  return new Fault('command_failed', { detail: `${where}: ${thrown.message}`, cause: thrown })
}

/** The blocks are already stored, so an error that concerns only the pin is reported for the root. */
function preventsPin(fault: Fault): boolean {
  return ofContent(fault) || fault.code === 'over_quota'
}

function ofContent({ code }: Fault): boolean {
  return code === 'command_failed' || code === 'unverified' || code === 'not_found'
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
