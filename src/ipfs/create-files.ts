// Composes the `Files` interface (files.ts) from a store, a function that obtains blocks, and the rows of accounts.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import type { Clock } from '../base/clock.ts'
import { createFairTimeSlices, type FairTimeSlices } from '../base/fair-time-slices.ts'
import { Fault } from '../base/fault.ts'
import type { SequentialRead } from '../content/sequential-read.ts'
import type { Obtain } from '../content/ref.ts'
import type { DeleteBlocks, BlockStore } from '../content/block-store.ts'
import type { Rows } from '../db/rows.ts'
import { decodeMultihash, identityCode } from '../codec/ipld/multihash.ts'
import { readStorage } from './pins/account-storage.ts'
import { accountBlocks } from './pins/account-blocks.ts'
import { createWaiters, type Waiters } from './read/block-waiters.ts'
import { createBlocks } from './read/blocks.ts'
import type { FetchPolicy, Files } from './files.ts'
import { createCars } from './cars/cars.ts'
import { createMfs } from './mfs/mfs.ts'
import { importEntries } from './import/import.ts'
import { listDirectory } from './read/list-directory.ts'
import { nodeStat } from './read/node-stat.ts'
import { type ContentPath, parseNamePath, parsePath } from './read/path.ts'
import { leaseStatements } from './pins/leases.ts'
import { isPinned, pinnedBy, pinStatements, rootOf } from './pins/pin-rows.ts'
import { createPins } from './pins/pins.ts'
import { fileShape, readFile } from './read/read-file.ts'
import { walkReferences } from './read/refs.ts'
import { createUnpinned } from './pins/unpinned.ts'
import { resolveNode, resolvePath, tracePath } from './read/resolve.ts'
import { selectBlocks } from './read/select-blocks.ts'
import { storedOnly, walkBlocks } from './read/walk.ts'

export type FilesLimits = {
  /** Maximum number of blocks that one import may create. */
  readonly importBlocksMax: number
  /** Maximum memory for the directories of one import. */
  readonly folderBytesMax: number
  /** Maximum number of distinct blocks of one recursive pin, and of one walk over an account's pins. */
  readonly pinBlocksMax: number
  /** How long a read without a time limit waits for a missing block, counted from the last block found. */
  readonly idleMs: number
  /** How long uploaded blocks that are not pinned are stored. */
  readonly unpinnedMs: number
  /** Maximum number of reads that wait for missing blocks at the same time. */
  readonly waitersMax: number
}

export const defaultFilesLimits: FilesLimits = {
  importBlocksMax: 1_000_000,
  folderBytesMax: 128 * 1024 * 1024,
  pinBlocksMax: 1_000_000,
  idleMs: 60_000,
  waitersMax: 1000,
  unpinnedMs: 24 * 3_600_000,
}

export type FilesSettings = {
  readonly store: BlockStore
  readonly deleteBlocks: DeleteBlocks
  readonly obtain: Obtain
  readonly readRun: SequentialRead
  /** The rows that the store's commits write. */
  readonly rows: Rows
  readonly clock: Clock
  /** Whether `obtain` can currently use sources other than the store. */
  readonly hasSources: () => boolean
  /** As in PinSettings. Default: true. */
  readonly sharesRoots?: boolean
  readonly limits: FilesLimits
  /** Resolves an IPNS path to a content path. Absent: names are not resolved. */
  readonly resolveName?: (
    path: string,
    patience: FetchPolicy,
    signal: AbortSignal,
  ) => Promise<string>
  /** Time slices for imports, shared by the thread. Default: separate ones. */
  readonly timeSlices?: FairTimeSlices
  /** The account on whose behalf reads may search the IPFS network. Default: they do not search it. */
  readonly account?: string
  /** Shared by the files of all accounts of the store. Default: separate ones. */
  readonly waiters?: Waiters
}

export function createFileWaiters(store: BlockStore, { waitersMax }: FilesLimits): Waiters {
  return createWaiters((ref) => store.has(ref), waitersMax)
}

export function createFiles(settings: FilesSettings): Files {
  const { store, deleteBlocks, obtain, readRun, rows, clock, hasSources, limits } = settings
  const { timeSlices = createFairTimeSlices(settings.clock) } = settings
  const { waiters = createFileWaiters(store, limits) } = settings
  const origins = new WeakMap<CID, CID>()
  const openBlocks = createBlocks({
    obtain,
    readRun,
    waiters,
    clock,
    hasSources,
    isStored: (ref) => store.has(ref),
    idleMs: limits.idleMs,
    account: settings.account ?? null,
    origins,
  })

  const pins = createPins({
    store,
    rows,
    clock,
    openBlocks,
    blocksMax: limits.pinBlocksMax,
    unpinnedMs: limits.unpinnedMs,
    hasSources,
    sharesRoots: settings.sharesRoots ?? true,
    committed: () => waiters.announce(),
  })

  async function contentPathOf(
    path: string,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): Promise<ContentPath> {
    const { resolveName } = settings
    if (resolveName === undefined || parseNamePath(path) === null) return parsePath(path)
    return parsePath(await resolveName(path, patience, signal))
  }

  return {
    ...pins,

    ...createCars({
      store,
      clock,
      openBlocks,
      pins,
      importBlocksMax: limits.importBlocksMax,
      pinBlocksMax: limits.pinBlocksMax,
      unpinnedMs: limits.unpinnedMs,
      committed: () => waiters.announce(),
    }),

    ...createUnpinned({ store, deleteBlocks, rows }),

    mfs: createMfs({
      store,
      rows,
      openBlocks,
      blocksMax: limits.importBlocksMax,
      committed: () => waiters.announce(),
    }),

    stored: (accountId) => readStorage(rows, accountId),

    storedBlocks: (accountId, signal) => accountBlocks(rows, accountId, signal),

    block: (cid, patience, signal) => openBlocks(patience, signal)(cid),

    import: (entries, options, { accountId, provide, keyId, proceed, signal }) =>
      importEntries(entries, options, {
        blocksMax: limits.importBlocksMax,
        folderBytesMax: limits.folderBytesMax,
        yielderFor: (most) => timeSlices.yielderFor(accountId, most),
        batch: () => store.batch(),
        rootRows: ({ cid }, put) =>
          options.pin
            ? pinStatements(
                accountId,
                {
                  cid,
                  mode: 'recursive',
                  name: options.pinName,
                  ...pinnedBy({ provide, keyId }),
                },
                put,
                clock.now(),
              )
            : leaseStatements(accountId, rootOf(cid, 'recursive'), put, {
                expires: clock.now() + limits.unpinnedMs,
              }),
        committed: () => waiters.announce(),
        proceed,
        signal,
      }),

    async resolve(path, patience, signal) {
      const parsed = await contentPathOf(path, patience, signal)
      const cid = await resolvePath(parsed, openBlocks(patience, signal))
      origins.set(cid, parsed.root)
      return cid
    },

    async resolveNode(path, patience, signal) {
      const parsed = await contentPathOf(path, patience, signal)
      const node = await resolveNode(parsed, openBlocks(patience, signal))
      origins.set(node.cid, parsed.root)
      return node
    },

    async trace(path, patience, signal) {
      const traced = await tracePath(path, openBlocks(patience, signal))
      origins.set(traced.cid, path.root)
      return traced
    },

    select: (path, selection, patience, signal) =>
      selectBlocks(path, selection, limits.pinBlocksMax, openBlocks(patience, signal)),

    async has({ multihash: { bytes } }) {
      if (decodeMultihash(bytes).code === identityCode) return true
      return await store.has({ kind: 'dag-block', hash: bytes })
    },

    isPinned: (cid, by) => isPinned(rows, cid, by),

    async stat(cid, patience, signal) {
      return nodeStat(cid, await openBlocks(patience, signal)(cid))
    },

    list: (cid, patience, signal) =>
      listDirectory(cid, openBlocks(patience, signal), limits.pinBlocksMax),

    refs: (cid, how, patience, signal) =>
      walkReferences(cid, how, limits.pinBlocksMax, openBlocks(patience, signal)),

    blocks: (cid, patience, signal) =>
      walkBlocks(cid, new Map(), limits.pinBlocksMax, openBlocks(patience, signal)),

    async locality(cid, signal) {
      const read = openBlocks({ offline: true, timeoutMs: null }, signal)
      let bytes = 0n
      let complete = true
      for await (const { block } of walkBlocks(
        cid,
        new Map(),
        limits.pinBlocksMax,
        storedOnly(read),
      )) {
        if (block === null) complete = false
        else bytes += BigInt(block.length)
      }
      return { complete, bytes }
    },

    async size(cid, patience, signal) {
      return fileShape(cid, await openBlocks(patience, signal)(cid)).size
    },

    async open(cid, { offset, length }, patience, signal) {
      if (offset < 0n) throw failed('cannot specify negative offset')
      if (length !== null && length < 0n) throw failed('cannot specify negative length')
      const gone = new AbortController()
      const read = openBlocks(patience, AbortSignal.any([signal, gone.signal]))
      const shape = fileShape(cid, await read(cid))
      const end = length === null || offset + length > shape.size ? shape.size : offset + length
      const bytes = readFile(shape, offset, end, read)
      // Reads the first chunk before returning, so that most failures still become error replies.
      const first = await bytes.next()
      return { size: shape.size, chunks: rest(first, bytes, gone) }
    },
  }
}

/** The stream after its first read. If the consumer stops early, pending fetches are aborted. */
async function* rest(
  first: IteratorResult<Uint8Array>,
  bytes: AsyncGenerator<Uint8Array>,
  gone: AbortController,
): AsyncGenerator<Uint8Array> {
  try {
    if (first.done) return
    yield first.value
    yield* bytes
  } finally {
    gone.abort()
  }
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
