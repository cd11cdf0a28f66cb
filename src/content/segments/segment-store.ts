// The BlockStore of a server: file blocks are in segments under `store/`, everything else in rows of `cairn.db`. One commit of both
// is atomic: the files are synced first, then one SQL write makes everything visible. Blocks committed without other rows are
// acknowledged before their index rows are written (pending-blocks.ts).
import { type Clock, backgroundFailed } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import type { FileOps } from '../file-ops.ts'
import type { ContentRef } from '../ref.ts'
import { createSqliteStore } from '../sqlite-store.ts'
import type { CopyChoice, DeleteBlocks, LocalStore, Segments } from '../block-store.ts'
import {
  findPlace,
  deleteUnreferencedBlocks,
  quarantineBlock,
  releaseBlock,
  type BlockPlace,
} from '../../tables/blocks.ts'
import { createSegmentWriters, createWriteFailure, openSegmentFolder } from './segment-folder.ts'
import { createDatabaseSpace } from './database-space.ts'
import { createExtents } from './extents.ts'
import { createBlockFinder } from './find-blocks.ts'
import { freeSegments } from './free-segments.ts'
import { createBlockHolds } from './block-holds.ts'
import { createLogCommits, createRowCommits } from './commits.ts'
import { createOpenFiles } from './open-files.ts'
import { createPendingBlocks } from './pending-blocks.ts'
import { createReadBuffers, createWriteBufferPool } from './io-buffers.ts'
import { createRecentPlaces, createRecentReads } from './recent-places.ts'
import { readRun, stretchBytes } from './run-reader.ts'
import { createSegmentBatch } from './segment-batch.ts'
import { defaultSegmentLimits, type SegmentLimits } from './segment-limits.ts'

export type SegmentStore = LocalStore & {
  readonly delete: DeleteBlocks
  readonly segments: Segments
  /** False once a sync has failed: writes are refused, reads continue. */
  readonly isWritable: boolean
  /** Total size of all segments. */
  readonly bytes: number
  /** Whether extents are written with direct I/O; null before the first. */
  readonly direct: boolean | null
  /** Call it after the last other call. */
  close(): Promise<void>
}

/** `path`: the folder of the segments. `bytesMax`: limit of the segments, the database and `otherBytes` together. */
export function createSegmentStore(parts: {
  readonly db: Database
  /** A second connection, which reads bytes within one turn of the event loop. */
  readonly bytesDb?: Database | undefined
  readonly writer: Writer
  readonly ops: FileOps
  readonly path: string
  readonly clock: Clock
  readonly log: Log
  readonly bytesMax?: number | null
  /** Other data within `bytesMax`: unfinished uploads. */
  readonly otherBytes?: () => number
  readonly limits?: SegmentLimits
  /** Index rows of new blocks may be written after the acknowledgement: only if `replayLog` ran before. */
  readonly rowsFollow?: boolean
  /** Hashes some leaves of an upload in parallel with this thread; null: with a single processor. */
  readonly hashWorker?: HashWorker | null
}): SegmentStore {
  const {
    db,
    writer,
    ops,
    path,
    clock,
    log,
    bytesMax = null,
    otherBytes = () => 0,
    limits = defaultSegmentLimits,
    hashWorker = null,
    rowsFollow = false,
    bytesDb,
  } = parts
  const rowStore = createSqliteStore({
    db,
    bytesDb: bytesDb ?? null,
    writer,
    onFailure: (error) => log('error', backgroundFailed, { in: 'reads of a turn', error }),
  })
  const databaseSpace = createDatabaseSpace({ db, writer, log, bytesMax, otherBytes })
  const breakage = createWriteFailure((cause) => log('error', 'segments_not_synced', { cause }))
  const folder = openSegmentFolder({
    ops,
    path,
    bytesMax,
    otherBytes: () => databaseSpace.bytes() + otherBytes(),
    onGrow: databaseSpace.setSegmentBytes,
  })
  const growing = { ops, folder, breakage, log, sealBytes: limits.sealBytes }
  const extents = createExtents(growing)
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax: limits.openFilesMax })
  const pool = createWriteBufferPool(limits.slots)
  const buffers = createReadBuffers(limits.readBuffers)
  const recent = createRecentReads(stretchBytes, limits.recentReads)
  const places = createRecentPlaces(limits.recentPlaces)
  const holds = createBlockHolds()
  const writers = createSegmentWriters({
    current: (kind) => (kind === 'ext' ? extents : records).current,
    next: () => folder.next,
  })
  const pending = createPendingBlocks({ writer, clock, log, begin: () => writers.begin() })
  const logCommits = createLogCommits({ ...growing, pending, holds, places, writers, rowsFollow })
  const { records } = logCommits
  const blocks = createBlockFinder({ db, pending, places, files })
  const { now } = clock
  const shared = { pending, holds, places, writers, holdIfStored }
  const rowCommits = createRowCommits({ db, rowStore, records, ...shared, now })
  let forgetting: Promise<unknown> = Promise.resolve()

  function holdIfStored(hash: Uint8Array): boolean {
    if (holds.isCondemned(hash) || !blocks.isStored(hash)) return false
    holds.hold(hash)
    return true
  }

  function peek(ref: ContentRef, copy?: CopyChoice): Uint8Array | null {
    if (ref.kind !== 'dag-block') return rowStore.peek(ref, copy)
    if (copy === undefined) return blocks.find(ref.hash)
    return copy === 'reread' ? blocks.findAgain(ref.hash) : blocks.findQuarantined(ref.hash)
  }

  const store: SegmentStore = {
    get: async (ref, copy) => peek(ref, copy),
    peek,
    has: async (ref) => (ref.kind === 'dag-block' ? blocks.isStored(ref.hash) : rowStore.has(ref)),
    read(refs, signal) {
      if (refs.some(({ kind }) => kind !== 'dag-block')) return rowStore.read(refs, signal)
      const placesOf = (some: readonly ContentRef[]): readonly (BlockPlace | null)[] =>
        db.together(() => some.map(({ hash }) => blocks.placeOf(hash)))
      return readRun(refs, signal, { placesOf, files, buffers, recent })
    },
    put(items, rows = []) {
      return (rows.length === 0 ? logCommits.join(items) : null) ?? rowCommits(items, rows)
    },
    batch() {
      return createSegmentBatch({
        writer,
        extents,
        log: records,
        pool,
        hashWorker,
        holds,
        holdIfStored,
        settle: pending.settle,
        together: db.together,
        onPlace: places.note,
        now: clock.now,
        onEnd: writers.begin(),
      })
    },
    async quarantine(ref) {
      if (ref.kind !== 'dag-block') return await rowStore.quarantine(ref)
      const { hash } = ref
      const read = places.find(hash) ?? pending.find(hash)
      places.forget(hash)
      // The row determines the location.
      await pending.settle()
      const row = findPlace(db, hash)
      if (row === null) return
      // The block was written twice, and another copy than that of the row was read; the row's copy may be valid.
      if (read !== null && (read.file !== row.file || read.at !== row.at)) return
      rowStore.quarantineFlag.raise()
      await writer.write([quarantineBlock(hash, row)])
      places.forget(hash)
    },
    async release(ref) {
      if (ref.kind !== 'dag-block') return await rowStore.release(ref)
      await writer.write([releaseBlock(ref.hash)])
    },
    quarantineFlag: rowStore.quarantineFlag,
    async delete(hashes) {
      const proposed = holds.propose(hashes)
      // One deletion at a time, so that `pardon` cannot end the mark of another one.
      const work = forgetting.then(async () => {
        // Otherwise a start would recover them from the log. If there is no space for rows, the deletion makes some.
        const before = await pending.beforeForgetting().catch(() => [])
        const free = proposed()
        if (free.length === 0) return 0
        holds.condemn(free)
        try {
          const changes = await writer.write([...before, deleteUnreferencedBlocks(free)])
          return changes.at(-1) ?? 0
        } finally {
          holds.pardon(free)
          for (const hash of free) places.forget(hash)
        }
      })
      forgetting = work.catch(() => undefined)
      return await work
    },
    segments: {
      sealed: () =>
        new Set(
          folder
            .files()
            .filter(({ id, kind }) => id < writers.floor(kind))
            .map(({ id }) => id),
        ),
      async free(sealed, live, dutyCycle, signal) {
        const done = writers.begin()
        try {
          const { closeWritten } = extents
          const onQuarantine = (hash: Uint8Array): void => {
            places.forget(hash)
            rowStore.quarantineFlag.raise()
          }
          const parts = { db, writer, folder, files, log: records, closeWritten, dutyCycle }
          return await freeSegments({ ...parts, onQuarantine }, sealed, live, signal)
        } finally {
          done()
        }
      },
    },
    get isWritable() {
      return !breakage.isBroken
    },
    get bytes() {
      return folder.bytes
    },
    get direct() {
      return extents.direct
    },
    async close() {
      await records.close()
      // The next start finds blocks without a row in the log.
      await pending.catchUp().catch(() => undefined)
      await pending.close()
      await extents.close()
      await files.close()
    },
  }
  return store
}
