// The Store of a server: blocks of files lie in segments under `store/`, everything else in rows of `cairn.db`. One
// commit of both is still all or nothing: the files are synced first, then one SQL write makes all of it visible.
// Blocks that come without rows of a caller need no row to be acknowledged: theirs follow (pending-blocks.ts).
import { toLatin1 } from '../../base/hex.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { HashBeside } from '../../codec/hash-beside.ts'
import { isSha256Name, sha256NameBytes } from '../../codec/multihash.ts'
import type { Database } from '../../db/sqlite.ts'
import { createTurnReads } from '../../db/turn-reads.ts'
import type { Statement, Writer } from '../../db/writer.ts'
import type { FileOps } from '../file-ops.ts'
import type { ContentRef, Item } from '../ref.ts'
import { createSqliteStore } from '../sqlite-store.ts'
import type { Forget, Segments, Store } from '../store.ts'
import { withRows } from '../with-rows.ts'
import {
  dropBlock,
  findPlace,
  forgetBlocks,
  hasBlock,
  insertBlocks,
  requireBlocks,
  verbatim,
  type BlockPlace,
  type BlockRow,
} from './block-index.ts'
import { readBlock } from './block-reader.ts'
import { createBlockRoom } from './block-room.ts'
import { createBreakage } from './breakage.ts'
import { createDatabaseRoom } from './database-room.ts'
import { createExtents } from './extents.ts'
import { createHolds } from './holds.ts'
import { joinedMax } from './log-group.ts'
import { createLogWriter, type DurableBlocks } from './log-writer.ts'
import { freeSegments } from './free-segments.ts'
import { createOpenFiles } from './open-files.ts'
import { createPendingBlocks } from './pending-blocks.ts'
import { createReadBuffers } from './read-buffers.ts'
import { createRecentPlaces } from './recent-places.ts'
import { createRecentReads } from './recent-reads.ts'
import { readRun, stretchBytes } from './run-reader.ts'
import { createSegmentBatch } from './segment-batch.ts'
import { openSegmentFolder } from './segment-folder.ts'
import { createSegmentWriters } from './segment-writers.ts'
import { createSlotPool } from './slot-pool.ts'

export type SegmentStore = Store & {
  readonly forget: Forget
  readonly segments: Segments
  /** False once a sync has failed: nothing is taken any more, reads go on. */
  readonly isWritable: boolean
  /** Of all segments together. */
  readonly bytes: number
  /** Whether extents are written past the cache of the system; null before the first. */
  readonly direct: boolean | null
  /** After the last call. */
  close(): Promise<void>
}

export type SegmentLimits = {
  /** A segment of this size takes no more. */
  readonly sealBytes: number
  /** Slots of 4 MiB for all uploads together. */
  readonly slots: number
  /** Buffers of 1 MiB for all reads ahead together. */
  readonly readBuffers: number
  readonly openFilesMax: number
  /** Stretches of 512 KiB that are remembered as read. */
  readonly recentReads: number
  /** Blocks whose place is remembered: a power of two. */
  readonly recentPlaces: number
}

export const defaultSegmentLimits: SegmentLimits = {
  sealBytes: 256 * 1024 * 1024,
  slots: 32,
  readBuffers: 64,
  openFilesMax: 256,
  recentReads: 131_072,
  recentPlaces: 262_144,
}

/** `path`: the folder of the segments. `bytesMax`: of the segments and the database together. */
export function createSegmentStore(parts: {
  readonly db: Database
  /** A second connection, for bytes of one turn. */
  readonly bytesDb?: Database | undefined
  readonly writer: Writer
  readonly ops: FileOps
  readonly path: string
  readonly clock: Clock
  readonly log: Log
  readonly bytesMax?: number | null
  readonly limits?: SegmentLimits
  /** Rows of fresh blocks alone may follow their acknowledgement: only where `replayLog` was run before. */
  readonly rowsFollow?: boolean
  /** Hashes some leaves of an upload while this thread goes on; null: where there is one processor. */
  readonly hashBeside?: HashBeside | null
}): SegmentStore {
  const {
    db,
    writer,
    ops,
    path,
    clock,
    log,
    bytesMax = null,
    limits = defaultSegmentLimits,
    hashBeside = null,
    rowsFollow = false,
    bytesDb,
  } = parts
  const turnReads = bytesDb === undefined ? null : createTurnReads(bytesDb)
  const rowStore = createSqliteStore({ db, turnReads, writer })
  const rowRoom = createDatabaseRoom({ db, writer, log, bytesMax })
  const breakage = createBreakage((cause) => log('error', 'segments_not_synced', { cause }))
  const folder = openSegmentFolder({
    ops,
    path,
    bytesMax,
    otherBytes: rowRoom.bytes,
    onGrow: rowRoom.leave,
  })
  const growing = { ops, folder, breakage, log, sealBytes: limits.sealBytes }
  const extents = createExtents(growing)
  const records = createLogWriter({
    ...growing,
    onJoin,
    onBlocks,
    // Where nothing was replayed, the checkpoint stays before what is still to be.
    onLog: (...told) => (rowsFollow ? pending.onLog(...told) : undefined),
  })
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax: limits.openFilesMax })
  const pool = createSlotPool(limits.slots)
  const buffers = createReadBuffers(limits.readBuffers)
  const recent = createRecentReads(stretchBytes, limits.recentReads)
  const places = createRecentPlaces(limits.recentPlaces)
  const room = createBlockRoom()
  const holds = createHolds()
  const writers = createSegmentWriters({
    current: (kind) => (kind === 'ext' ? extents : records).current,
    next: () => folder.next,
  })
  const pending = createPendingBlocks({ writer, clock, log, begin: () => writers.begin() })
  let forgetting: Promise<unknown> = Promise.resolve()

  const isHere = (hash: Uint8Array): boolean => pending.has(hash) || hasBlock(db, hash)

  function holdIfHere(hash: Uint8Array): boolean {
    if (holds.isCondemned(hash) || !isHere(hash)) return false
    holds.hold(hash)
    return true
  }

  function onJoin(): (count: number) => void {
    const done = writers.begin()
    return (count) => {
      pending.give(count)
      done()
    }
  }

  function onBlocks({ count, names, lies, file, at }: DurableBlocks): void {
    // One for all: each of the three copies what it keeps.
    const name = new Uint8Array(sha256NameBytes)
    for (let index = 0; index < count; index += 1) {
      for (let byte = 0; byte < sha256NameBytes; byte += 1) {
        name[byte] = names[index * sha256NameBytes + byte] ?? 0
      }
      const lie = lies[index * 2] ?? 0
      const bytes = lies[index * 2 + 1] ?? 0
      holds.touch(name)
      pending.add(name, file, at + lie, bytes)
      places.note(name, { file, at: at + lie, bytes, form: verbatim, size: bytes })
    }
  }

  /**
   * Whether it is known to be here without asking the index. Who brings blocks alone looked for them before; one that is
   * written again leaves its row as it is, or gets the later place if it has none yet, and is then remembered.
   */
  function isKnown(hash: Uint8Array): boolean {
    return !holds.isCondemned(hash) && places.has(hash)
  }

  /**
   * Fresh blocks alone are acknowledged when the log has them; rows of the index follow. Null: they go the long way,
   * since one of them is known to be here, or they are too many.
   */
  function joinLog(items: readonly Item[]): Promise<readonly number[]> | null {
    if (!rowsFollow || items.length === 0 || items.length > joinedMax) return null
    for (const { ref } of items) {
      if (ref.kind !== 'dag-block' || !isSha256Name(ref.hash) || isKnown(ref.hash)) return null
    }
    if (!pending.take(items.length)) return null
    const joined = records.join(items)
    if (joined !== null) return joined
    pending.give(items.length)
    return null
  }

  async function commitBlocks(
    blocks: readonly Item[],
    others: readonly Item[],
    rows: Parameters<Store['commit']>[1] = [],
  ): Promise<readonly number[]> {
    const done = writers.begin()
    const seen = new Set<string>()
    const held: Uint8Array[] = []
    const fresh: Item[] = []
    const sort = (): void => {
      for (const item of blocks) {
        const key = toLatin1(item.ref.hash)
        if (seen.has(key)) continue
        seen.add(key)
        if (holdIfHere(item.ref.hash)) held.push(new Uint8Array(item.ref.hash))
        else fresh.push(item)
      }
    }
    if (blocks.length > 1) db.together(sort)
    else sort()
    // A caller may reuse its buffers: the bytes are copied by the log, names and sizes here. Not by `slice`, which
    // gives a view of a Buffer.
    const named = fresh.map(({ ref, bytes }) => ({
      hash: new Uint8Array(ref.hash),
      size: bytes.length,
    }))
    for (const { hash } of named) holds.hold(hash)
    const owned = others.map(({ ref, bytes }) => ({
      ref: { kind: ref.kind, hash: new Uint8Array(ref.hash) },
      bytes: new Uint8Array(bytes),
    }))
    try {
      const appended =
        fresh.length === 0
          ? []
          : await records.append(
              fresh.map(({ ref, bytes }) => ({ kind: 'object', key: ref.hash, payload: bytes })),
              true,
            )
      const index: BlockRow[] = appended.map((place, at) => {
        const { hash, size } = named[at] ?? { hash: new Uint8Array(0), size: 0 }
        return { hash, ...place, bytes: size, form: verbatim, size }
      })
      const before = [
        ...(held.length === 0 ? [] : [requireBlocks(held)]),
        ...(index.length === 0 ? [] : [insertBlocks(index, clock.now())]),
      ]
      // The rows may be about blocks whose own are still to come.
      if (held.length + rows.length > 0) await pending.settle()
      const changes = await withRows(before, rows, (all) => rowStore.commit(owned, all))
      for (const row of index) places.note(row.hash, row)
      return changes
    } finally {
      for (const hash of held) holds.release(hash)
      for (const { hash } of named) holds.release(hash)
      done()
    }
  }

  async function commitAll(
    items: readonly Item[],
    rows: readonly Statement[],
  ): Promise<readonly number[]> {
    const blocks = items.filter(({ ref }) => ref.kind === 'dag-block')
    if (items.length === 0) await pending.settle()
    if (blocks.length === 0) return await rowStore.commit(items, rows)
    const others = items.filter(({ ref }) => ref.kind !== 'dag-block')
    return await commitBlocks(blocks, others, rows)
  }

  /** Null: it is no longer where it was. */
  function readAt(hash: Uint8Array, place: BlockPlace): Uint8Array | null {
    try {
      const bytes = readBlock(files, place, room)
      if (bytes.length === place.size) return bytes
    } catch {
      // The index knows better, and whether that place cannot be read either.
    }
    places.forget(hash)
    return null
  }

  const placeOf = (hash: Uint8Array): BlockPlace | null => pending.find(hash) ?? findPlace(db, hash)

  function findBlock(hash: Uint8Array): Uint8Array | null {
    const recent = places.find(hash)
    const found = recent === null ? null : readAt(hash, recent)
    if (found !== null) return found
    const place = placeOf(hash)
    if (place === null) return null
    const bytes = readBlock(files, place, room)
    places.note(hash, place)
    return bytes
  }

  const store: SegmentStore = {
    find: (ref) => (ref.kind === 'dag-block' ? findBlock(ref.hash) : rowStore.find(ref)),
    has: (ref) => (ref.kind === 'dag-block' ? isHere(ref.hash) : rowStore.has(ref)),
    read(refs, signal) {
      if (refs.some(({ kind }) => kind !== 'dag-block')) return rowStore.read(refs, signal)
      const placesOf = (some: readonly ContentRef[]): readonly (BlockPlace | null)[] =>
        db.together(() => some.map(({ hash }) => placeOf(hash)))
      return readRun(refs, signal, { placesOf, files, buffers, recent })
    },
    commit(items, rows = []) {
      return (rows.length === 0 ? joinLog(items) : null) ?? commitAll(items, rows)
    },
    batch() {
      return createSegmentBatch({
        writer,
        extents,
        log: records,
        pool,
        hashBeside,
        holds,
        holdIfHere,
        settle: pending.settle,
        together: db.together,
        onPlace: places.note,
        now: clock.now,
        onEnd: writers.begin(),
      })
    },
    async drop(ref) {
      if (ref.kind !== 'dag-block') return await rowStore.drop(ref)
      const { hash } = ref
      const read = places.find(hash) ?? pending.find(hash)
      const row = findPlace(db, hash)
      pending.drop(hash)
      places.forget(hash)
      // It was written twice, and another copy was read than the one of its row, which may be good.
      if (read !== null && row !== null && (read.file !== row.file || read.at !== row.at)) return
      await writer.write(dropBlock(hash))
      places.forget(hash)
    },
    async forget(hashes) {
      const proposed = holds.propose(hashes)
      // One at a time, so that a pardon is never another's.
      const work = forgetting.then(async () => {
        // Else a start would take them from the log again. Where rows have no room, forgetting makes some.
        const before = await pending.beforeForgetting().catch(() => [])
        const free = proposed()
        if (free.length === 0) return 0
        holds.condemn(free)
        try {
          const changes = await writer.write([...before, forgetBlocks(free)])
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
      async free(sealed, live, pace, signal) {
        const done = writers.begin()
        try {
          const { closeWritten } = extents
          const parts = { db, writer, folder, files, log: records, closeWritten, pace }
          return await freeSegments(parts, sealed, live, signal)
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
      // What has no row yet is found in the log at the next start.
      await pending.catchUp().catch(() => undefined)
      await pending.close()
      await extents.close()
      await files.close()
    },
  }
  return store
}
