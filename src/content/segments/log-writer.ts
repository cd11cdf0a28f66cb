// Group commit for a log file. Queued records share one write and one sync. A partial group is written when the previous one
// completes; full groups are written in parallel. Input is copied immediately.
import { Fault } from '../../base/fault.ts'
import { sha256NameBytes as nameBytes } from '../../codec/ipld/multihash.ts'
import type { FileOps, OpenFile } from '../file-ops.ts'
import type { UnverifiedItem } from '../ref.ts'
import {
  type SegmentFolder,
  type WriteFailure,
  isFull,
  failedToOpen,
  writeFault,
} from './segment-folder.ts'
import type { Place } from './extents.ts'
import {
  buffersOf,
  createGroupMemory,
  emptyGroup,
  emptyJoined,
  isFullGroup,
  type LogGroup,
  type Written,
} from './log-group.ts'
import { type LogRecord, recordBytes } from './record.ts'

export type LogWriter = {
  /**
   * Location of each record's payload. `durable`: resolves when they and all records appended before are on disk.
   * Throws `no_space`, `internal`, or `overloaded` if too much is queued.
   */
  append(records: readonly LogRecord[], durable: boolean): Promise<readonly Place[]>
  /**
   * A durable `append` of the blocks of one commit, whose locations are passed to `onBlocks` before it resolves. All
   * callers of a group share the promise. At most 256, named by sha2-256. Null: too much is queued.
   */
  join(blocks: readonly UnverifiedItem[]): Promise<readonly number[]> | null
  /** The file that is being written or created. */
  readonly current: number | null
  close(): Promise<void>
}

/** Blocks in `file` that are on disk. */
export type DurableBlocks = {
  readonly count: number
  /** Multihashes, 34 bytes each. */
  readonly names: Uint8Array
  /** Of each block: its offset from `at`, and its length. */
  readonly ranges: Float64Array
  readonly file: number
  readonly at: number
}

const queuedBytesMax = 64 * 1024 * 1024
/** Full groups written in parallel with the oldest one (docs/explanation/decisions/0034-four-log-writes-in-flight.md). */
const parallelGroupsMax = 3
const nowhere: Place = { file: 0, at: 0 }
/** Result of a commit without separate rows. */
const noChanges: readonly number[] = []

export function createLogWriter(parts: {
  readonly ops: FileOps
  readonly folder: SegmentFolder
  readonly breakage: WriteFailure
  readonly sealBytes: number
  /** Counts blocks as being written; the returned function is called when that many were reported or failed. */
  readonly onJoin?: () => (count: number) => void
  readonly onBlocks?: (blocks: DurableBlocks) => void
  /** Called when the log is on disk up to `end`, with the number of new bytes and records. */
  readonly onLog?: (end: Place, bytes: number, records: number) => void
}): LogWriter {
  const { ops, folder, breakage, sealBytes } = parts
  const { onJoin = () => () => {}, onBlocks = () => {}, onLog = () => {} } = parts
  const memory = createGroupMemory()
  let queue: LogGroup[] = []
  let queuedBytes = 0
  let current: { readonly id: number; readonly file: OpenFile; tail: number } | null = null
  /** Number of the file that is being created. */
  let creating: number | null = null
  /** The file has unsynced data. */
  let dirty = false
  let pumping: Promise<void> | null = null
  /** The oldest group being written. */
  let front: LogGroup | null = null

  function openGroup(): LogGroup {
    const last = queue.at(-1)
    if (last !== undefined && !isFullGroup(last)) return last
    const group = emptyGroup()
    queue.push(group)
    return group
  }

  function reportJoined({ joined }: LogGroup, { file, at }: Place): void {
    if (joined === null) return
    const { count, names, ranges, done, outcome } = joined
    onBlocks({ count, names, ranges, file, at })
    done(count)
    outcome.resolve(noChanges)
  }

  async function pump(): Promise<void> {
    // Waits one turn of the event loop, so that all callers that were just answered share the next group.
    await new Promise(setImmediate)
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      front = group
      try {
        group.writing ??= write(group)
        startParallelWrites()
        const { file, at, end } = await group.writing
        reportJoined(group, { file, at })
        if (group.durable && end.file > 0) onLog(end, group.bytes, group.records)
        for (const { offsets, resolve } of group.waiters) {
          resolve(offsets.map((offset) => ({ file, at: at + offset })))
        }
      } catch (error) {
        // No write starts while locations are being taken back.
        front = null
        for (const { reject } of group.waiters) reject(writeFault(error))
        group.joined?.done(group.joined.count)
        group.joined?.outcome.reject(writeFault(error))
        await resetLaterGroups()
      }
      queuedBytes -= group.bytes
      memory.release(group)
    }
    front = null
    pumping = null
  }

  /**
   * Starts the next full groups while earlier ones are written and synced; they are reported after those. Not if a sync would have
   * to cover earlier data, or if a group belongs in another file.
   */
  function startParallelWrites(): void {
    let before = front
    for (let index = 0; index < parallelGroupsMax; index += 1) {
      const next = queue[index]
      if (next === undefined || before?.atOnce !== true) return
      if (next.writing === null && !startWrite(next)) return
      before = next
    }
  }

  function startWrite(group: LogGroup): boolean {
    if (!group.durable || !isFullGroup(group) || current === null) return false
    if (current.tail + group.bytes > sealBytes) return false
    group.writing = write(group)
    // Errors are reported to the callers in order.
    group.writing.catch(() => undefined)
    return true
  }

  /** A scan could not find data after a failed group, so later groups are written again from its location on. */
  async function resetLaterGroups(): Promise<void> {
    for (const group of queue) {
      if (group.writing === null) return
      const written = await group.writing.catch(() => null)
      group.writing = null
      group.atOnce = false
      if (written === null || current === null) continue
      folder.claim(current.id, -group.bytes)
      current.tail -= group.bytes
    }
  }

  async function write(group: LogGroup): Promise<Written> {
    breakage.check()
    if (group.bytes === 0) return await syncAlone(group)
    const buffers = buffersOf(group)
    if (current !== null && current.tail > 0 && current.tail + group.bytes > sealBytes) await seal()
    const growing = current ?? (await create())
    const { id, file, tail } = growing
    folder.claim(id, group.bytes)
    growing.tail += group.bytes
    // If this thread is busy, a separate sync would start late.
    const atOnce = group.durable && !dirty
    group.atOnce = atOnce
    try {
      if (atOnce) await ops.writeSynced(file, buffers, tail)
      else await ops.writev(file, buffers, tail)
    } catch (error) {
      // The next group overwrites the partial data of this one.
      folder.claim(id, -group.bytes)
      growing.tail -= group.bytes
      if (!atOnce || isFull(error) || failedToOpen(error)) throw error
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
    creating = folder.next
    try {
      current = { ...(await folder.create('log', false)), tail: 0 }
      return current
    } finally {
      creating = null
    }
  }

  /** Appends no data, but syncs the records appended before. */
  async function syncAlone({ durable }: LogGroup): Promise<Written> {
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
      if (queuedBytes > 0 && queuedBytes + bytes > queuedBytesMax) {
        return Promise.reject(new Fault('overloaded'))
      }
      queuedBytes += bytes
      const group = openGroup()
      const offsets = records.map(({ kind, key, payload }) =>
        memory.copy(group, kind, key, payload),
      )
      group.durable ||= durable
      return new Promise((resolve, reject) => {
        group.waiters.push({ offsets, resolve, reject })
        pumping ??= pump()
        startParallelWrites()
      })
    },
    join(blocks) {
      let bytes = 0
      for (const block of blocks) bytes += recordBytes(block.ref.hash, block.bytes.length)
      if (queuedBytes > 0 && queuedBytes + bytes > queuedBytesMax) return null
      queuedBytes += bytes
      const group = openGroup()
      const joined = (group.joined ??= emptyJoined(onJoin()))
      for (const block of blocks) {
        const { hash } = block.ref
        joined.ranges[joined.count * 2] = memory.copy(group, 'object', hash, block.bytes)
        joined.ranges[joined.count * 2 + 1] = block.bytes.length
        joined.names.set(hash, joined.count * nameBytes)
        joined.count += 1
      }
      group.durable = true
      pumping ??= pump()
      startParallelWrites()
      return joined.outcome.promise
    },
    get current() {
      return current?.id ?? creating
    },
    async close() {
      while (pumping !== null) await pumping
      if (current !== null) await ops.close(current.file)
      current = null
    },
  }
}
