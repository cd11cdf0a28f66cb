// Records on their way to a log file. All that wait share one write and one sync; the next group starts when the
// last one returned, no timer, and a full one beside it. What callers hand in is copied at once.
// Tested by src/content/segments/segment-files.test.ts
import { Fault } from '../../base/fault.ts'
import { sha256NameBytes as nameBytes } from '../../codec/multihash.ts'
import type { FileOps, OpenFile } from '../file-ops.ts'
import type { Item } from '../ref.ts'
import { isFull as isDeviceFull, writeFault, type Breakage } from './breakage.ts'
import type { Place } from './extents.ts'
import { recordBytes, writeHead, type RecordKind } from './record.ts'
import type { SegmentFolder } from './segment-folder.ts'

export type LogRecord = {
  readonly kind: RecordKind
  readonly key: Uint8Array
  readonly payload: Uint8Array
}

export type LogWriter = {
  /**
   * Where the payload of each record lies. `durable`: resolves when they are on disk, and all that was appended
   * before. Throws `no_space`, `internal`, or `overloaded` when too much waits.
   */
  append(records: readonly LogRecord[], durable: boolean): Promise<readonly Place[]>
  /**
   * As a durable `append` of blocks of one commit, whose places `onBlocks` is told of before it resolves. All callers of
   * a group share the promise. At most 256, named by sha2-256. Null: too much waits.
   */
  join(blocks: readonly Item[]): Promise<readonly number[]> | null
  /** The file that grows now, or is being made. */
  readonly current: number | null
  close(): Promise<void>
}

type Waiter = {
  readonly offsets: readonly number[]
  readonly resolve: (places: readonly Place[]) => void
  readonly reject: (error: unknown) => void
}

type Group = {
  /** Full chunks, the last one not yet among them. */
  readonly chunks: Uint8Array[]
  chunk: Uint8Array
  used: number
  bytes: number
  durable: boolean
  records: number
  readonly waiters: Waiter[]
  joined: Joined | null
  /** Where it comes to lie, once that was begun. */
  writing: Promise<Written> | null
  /** It has its place and was handed over, written and synced in one. */
  atOnce: boolean
}

/** Where a group begins, and where the log ends behind it. */
type Written = Place & { readonly end: Place }

/** Blocks of a group that were joined to it. */
type Joined = {
  count: number
  readonly names: Uint8Array
  /** Of each: where in the group it lies, and its length. */
  readonly lies: Float64Array
  readonly done: (count: number) => void
  readonly outcome: PromiseWithResolvers<readonly number[]>
}

/** Blocks that lie in `file` now, on disk. */
export type DurableBlocks = {
  readonly count: number
  /** 34 bytes each. */
  readonly names: Uint8Array
  /** Of each: where it lies past `at`, and its length. */
  readonly lies: Float64Array
  readonly file: number
  readonly at: number
}

const chunkBytes = 1024 * 1024
const groupBytesMax = 16 * 1024 * 1024
/** So that one group is named and copied while the one before it is synced. */
const groupWaitersMax = 128
const waitingBytesMax = 64 * 1024 * 1024
const spareChunksMax = 4
const nothing = new Uint8Array(0)
const nowhere: Place = { file: 0, at: 0 }
/** Of one call. */
export const joinedMax = 256
const joinedRoom = groupWaitersMax + joinedMax
/** What a commit without rows of its own changed. */
const noChanges: readonly number[] = []

export function createLogWriter(parts: {
  readonly ops: FileOps
  readonly folder: SegmentFolder
  readonly breakage: Breakage
  readonly sealBytes: number
  /** From now on blocks are on their way, until so many were told of or failed. */
  readonly onJoin?: () => (count: number) => void
  readonly onBlocks?: (blocks: DurableBlocks) => void
  /** The log is on disk up to there, and so much longer. */
  readonly onLog?: (end: Place, bytes: number, records: number) => void
}): LogWriter {
  const { ops, folder, breakage, sealBytes } = parts
  const { onJoin = () => () => {}, onBlocks = () => {}, onLog = () => {} } = parts
  const spare: Uint8Array[] = []
  let queue: Group[] = []
  let waitingBytes = 0
  let current: { readonly id: number; readonly file: OpenFile; tail: number } | null = null
  /** Its number, while the next one is made. */
  let coming: number | null = null
  /** The file holds what no sync has covered. */
  let dirty = false
  let pumping: Promise<void> | null = null
  /** The oldest group that is being written. */
  let front: Group | null = null

  function isFull({ bytes, waiters, joined }: Group): boolean {
    return bytes >= groupBytesMax || waiters.length + (joined?.count ?? 0) >= groupWaitersMax
  }

  function openGroup(): Group {
    const last = queue.at(-1)
    if (last !== undefined && !isFull(last)) return last
    const group: Group = {
      chunks: [],
      chunk: nothing,
      used: 0,
      bytes: 0,
      durable: false,
      records: 0,
      waiters: [],
      joined: null,
      writing: null,
      atOnce: false,
    }
    queue.push(group)
    return group
  }

  /** Copies one record to the end of the group; where in the group its payload starts. */
  function copy(group: Group, kind: RecordKind, key: Uint8Array, payload: Uint8Array): number {
    const bytes = recordBytes(key, payload.length)
    if (group.used + bytes > group.chunk.length) {
      if (group.used > 0) group.chunks.push(group.chunk.subarray(0, group.used))
      group.chunk =
        bytes > chunkBytes
          ? Buffer.allocUnsafeSlow(bytes)
          : (spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes))
      group.used = 0
    }
    const payloadAt = writeHead(group.chunk, group.used, kind, key, payload.length)
    group.chunk.set(payload, payloadAt)
    const offset = group.bytes + payloadAt - group.used
    group.used += bytes
    group.bytes += bytes
    group.records += 1
    return offset
  }

  function joinedOf(group: Group): Joined {
    return (group.joined ??= {
      count: 0,
      names: new Uint8Array(joinedRoom * nameBytes),
      lies: new Float64Array(joinedRoom * 2),
      done: onJoin(),
      outcome: Promise.withResolvers<readonly number[]>(),
    })
  }

  function tellJoined({ joined }: Group, { file, at }: Place): void {
    if (joined === null) return
    const { count, names, lies, done, outcome } = joined
    onBlocks({ count, names, lies, file, at })
    done(count)
    outcome.resolve(noChanges)
  }

  async function pump(): Promise<void> {
    // One turn of the loop, so that all who were just answered share the next group.
    await new Promise(setImmediate)
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      front = group
      try {
        group.writing ??= write(group)
        writeBeside()
        const { file, at, end } = await group.writing
        tellJoined(group, { file, at })
        if (group.durable && end.file > 0) onLog(end, group.bytes, group.records)
        for (const { offsets, resolve } of group.waiters) {
          resolve(offsets.map((offset) => ({ file, at: at + offset })))
        }
      } catch (error) {
        for (const { reject } of group.waiters) reject(writeFault(error))
        group.joined?.done(group.joined.count)
        group.joined?.outcome.reject(writeFault(error))
        await takeBack()
      }
      waitingBytes -= group.bytes
      for (const chunk of [...group.chunks, group.chunk]) {
        const whole = chunk.buffer.byteLength === chunkBytes
        if (whole && spare.length < spareChunksMax) spare.push(new Uint8Array(chunk.buffer))
      }
    }
    front = null
    pumping = null
  }

  /**
   * Begins the next group when it is full, while the one before it is still written and synced: it is told of after that.
   * Not where its sync would have to cover what lies before it, or it belongs into another file.
   */
  function writeBeside(): void {
    const [next] = queue
    if (next === undefined || next.writing !== null || !next.durable || !isFull(next)) return
    if (front?.atOnce !== true || current === null) return
    if (current.tail + next.bytes > sealBytes) return
    next.writing = write(next)
    // Who waits is told in its turn.
    next.writing.catch(() => undefined)
  }

  /** What lies behind a group that failed would never be found again: it is written once more, over that group. */
  async function takeBack(): Promise<void> {
    const [next] = queue
    if (next === undefined || next.writing === null) return
    const written = await next.writing.catch(() => null)
    next.writing = null
    if (written === null || current === null) return
    folder.claim(current.id, -next.bytes)
    current.tail -= next.bytes
  }

  async function write(group: Group): Promise<Written> {
    breakage.check()
    if (group.bytes === 0) return await syncAlone(group)
    const buffers = [...group.chunks, group.chunk.subarray(0, group.used)]
    if (current !== null && current.tail > 0 && current.tail + group.bytes > sealBytes) await seal()
    const growing = current ?? (await create())
    const { id, file, tail } = growing
    folder.claim(id, group.bytes)
    growing.tail += group.bytes
    // While this thread is busy, a sync of its own would begin late.
    const atOnce = group.durable && !dirty
    group.atOnce = atOnce
    try {
      if (atOnce) await ops.writeSynced(file, buffers, tail)
      else await ops.writev(file, buffers, tail)
    } catch (error) {
      // The next group is written over what there is of this one.
      folder.claim(id, -group.bytes)
      growing.tail -= group.bytes
      if (!atOnce || isDeviceFull(error)) throw error
      breakage.note(error)
      throw new Fault('no_space', { cause: error })
    }
    const written = { file: id, at: tail, end: { file: id, at: tail + group.bytes } }
    if (atOnce) return written
    dirty = true
    if (group.durable) await sync(file)
    return written
  }

  async function create(): Promise<NonNullable<typeof current>> {
    coming = folder.next
    try {
      current = { ...(await folder.create('log', false)), tail: 0 }
      return current
    } finally {
      coming = null
    }
  }

  /** Nothing of its own, but what was appended before is to be on disk. */
  async function syncAlone({ durable }: Group): Promise<Written> {
    const end = current === null ? nowhere : { file: current.id, at: current.tail }
    if (durable && dirty && current !== null) await sync(current.file)
    return { ...nowhere, end }
  }

  async function seal(): Promise<void> {
    if (current === null) return
    const { file } = current
    if (dirty) await sync(file)
    current = null
    await ops.close(file)
  }

  async function sync(file: OpenFile): Promise<void> {
    try {
      await ops.datasync(file)
      dirty = false
    } catch (error) {
      breakage.note(error)
      throw new Fault('no_space', { cause: error })
    }
  }

  return {
    append(records, durable) {
      let bytes = 0
      for (const { key, payload } of records) bytes += recordBytes(key, payload.length)
      if (waitingBytes > 0 && waitingBytes + bytes > waitingBytesMax) {
        return Promise.reject(new Fault('overloaded'))
      }
      waitingBytes += bytes
      const group = openGroup()
      const offsets = records.map(({ kind, key, payload }) => copy(group, kind, key, payload))
      group.durable ||= durable
      return new Promise((resolve, reject) => {
        group.waiters.push({ offsets, resolve, reject })
        pumping ??= pump()
        writeBeside()
      })
    },
    join(blocks) {
      let bytes = 0
      for (const block of blocks) bytes += recordBytes(block.ref.hash, block.bytes.length)
      if (waitingBytes > 0 && waitingBytes + bytes > waitingBytesMax) return null
      waitingBytes += bytes
      const group = openGroup()
      const joined = joinedOf(group)
      for (const block of blocks) {
        const { hash } = block.ref
        joined.lies[joined.count * 2] = copy(group, 'object', hash, block.bytes)
        joined.lies[joined.count * 2 + 1] = block.bytes.length
        joined.names.set(hash, joined.count * nameBytes)
        joined.count += 1
      }
      group.durable = true
      pumping ??= pump()
      writeBeside()
      return joined.outcome.promise
    },
    get current() {
      return current?.id ?? coming
    },
    async close() {
      while (pumping !== null) await pumping
      if (current !== null) await ops.close(current.file)
      current = null
    },
  }
}
