// Records on their way to a log file. All that wait share one write and one sync; the next group starts when the
// last one returned, no timer. What callers hand in is copied at once.
// Tested by src/content/segments/segment-files.test.ts
import { Fault } from '../../base/fault.ts'
import { sha256NameBytes as nameBytes } from '../../codec/multihash.ts'
import type { FileOps, OpenFile } from '../file-ops.ts'
import type { Item } from '../ref.ts'
import { isFull, writeFault, type Breakage } from './breakage.ts'
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
}

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
/** So that the rows of one group are written while the next one is synced. */
const groupWaitersMax = 128
const waitingBytesMax = 64 * 1024 * 1024
const spareChunksMax = 4
const nothing = new Uint8Array(0)
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

  function openGroup(): Group {
    const last = queue.at(-1)
    const open =
      last !== undefined &&
      last.bytes < groupBytesMax &&
      last.waiters.length + (last.joined?.count ?? 0) < groupWaitersMax
    if (open) return last
    const group: Group = {
      chunks: [],
      chunk: nothing,
      used: 0,
      bytes: 0,
      durable: false,
      records: 0,
      waiters: [],
      joined: null,
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
      try {
        const base = await write(group)
        tellJoined(group, base)
        if (group.durable && current !== null) {
          onLog({ file: current.id, at: current.tail }, group.bytes, group.records)
        }
        for (const { offsets, resolve } of group.waiters) {
          resolve(offsets.map((offset) => ({ file: base.file, at: base.at + offset })))
        }
      } catch (error) {
        for (const { reject } of group.waiters) reject(writeFault(error))
        group.joined?.done(group.joined.count)
        group.joined?.outcome.reject(writeFault(error))
      }
      waitingBytes -= group.bytes
      for (const chunk of [...group.chunks, group.chunk]) {
        const whole = chunk.buffer.byteLength === chunkBytes
        if (whole && spare.length < spareChunksMax) spare.push(new Uint8Array(chunk.buffer))
      }
    }
    pumping = null
  }

  async function write(group: Group): Promise<Place> {
    breakage.check()
    if (group.bytes === 0) return await syncAlone(group)
    const buffers = [...group.chunks, group.chunk.subarray(0, group.used)]
    if (current !== null && current.tail > 0 && current.tail + group.bytes > sealBytes) await seal()
    const growing = current ?? (await create())
    const { id, file, tail } = growing
    folder.claim(id, group.bytes)
    // While this thread is busy, a sync of its own would begin late.
    const atOnce = group.durable && !dirty
    try {
      if (atOnce) await ops.writeSynced(file, buffers, tail)
      else await ops.writev(file, buffers, tail)
    } catch (error) {
      // The next group is written over what there is of this one.
      folder.claim(id, -group.bytes)
      if (!atOnce || isFull(error)) throw error
      breakage.note(error)
      throw new Fault('no_space', { cause: error })
    }
    growing.tail += group.bytes
    if (atOnce) return { file: id, at: tail }
    dirty = true
    if (group.durable) await sync(file)
    return { file: id, at: tail }
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
  async function syncAlone({ durable }: Group): Promise<Place> {
    if (durable && dirty && current !== null) await sync(current.file)
    return { file: 0, at: 0 }
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
