// Acknowledged blocks whose index rows are not written yet. Rows are written in batches sorted by multihash, so one
// index page is written once per batch. After a crash, replay-log.ts recovers them.
// Tested by src/content/segments/replay-log.test.ts
import { randomInt } from 'node:crypto'
import { isSha256Name, sha256NameBytes as nameBytes } from '../../codec/ipld/multihash.ts'
import {
  type BlockPlace,
  type BlockValues,
  insertBlockValues,
  verbatim,
} from '../../tables/blocks.ts'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { RowChanges, Writer } from '../../db/writer.ts'
import type { Place } from './extents.ts'
import { setCheckpoint } from '../../tables/log-checkpoint.ts'

export type PlaceTable = {
  /** Number of entries. */
  readonly size: number
  /** `name`: a multihash of 34 bytes; if it exists already, the later location counts. Throws if the table is full. */
  add(name: Uint8Array, file: number, at: number, bytes: number): void
  has(multihash: Uint8Array): boolean
  find(multihash: Uint8Array): BlockPlace | null
  /** The entries sorted by name, in which order an index inserts them fastest. */
  order(): Float64Array
  /** A range of an order. The names are views. */
  rows(order: Float64Array, from: number, to: number): readonly BlockValues[]
  clear(): void
}

const digestAt = 2
/** Numbers per entry: file, offset, length. */
const width = 3
/** An order sorts by this many bits of the digest, which are placed above the entry's number. */
const orderBits = 31

/** `entriesMax`: capacity, a power of two up to 2^20; 66 bytes each once the table is used. */
export function createPlaceTable(entriesMax: number): PlaceTable {
  const slotsMask = entriesMax * 2 - 1
  if ((entriesMax & (entriesMax - 1)) !== 0 || entriesMax < 1 || entriesMax > 2 ** 20) {
    throw new RangeError(`${entriesMax} entries are no table`)
  }
  /** Random, so that an attacker cannot choose names that share one slot. */
  const seed = randomInt(2 ** 32)
  let made: {
    readonly names: Uint8Array
    readonly numbers: Float64Array
    readonly slots: Int32Array
  } | null = null
  let size = 0

  function slotOf(name: Uint8Array): number {
    const [one = 0, two = 0, three = 0, four = 0] = [name[2], name[3], name[4], name[5]]
    const [five = 0, six = 0, seven = 0, eight = 0] = [name[6], name[7], name[8], name[9]]
    const low = Math.imul(((one << 24) | (two << 16) | (three << 8) | four) ^ seed, 0x9e3779b1)
    const all = Math.imul(((five << 24) | (six << 16) | (seven << 8) | eight) ^ low, 0x85ebca6b)
    return (all ^ (all >>> 15)) & slotsMask
  }

  function isAt(names: Uint8Array, entry: number, name: Uint8Array): boolean {
    const from = entry * nameBytes
    for (let at = digestAt; at < nameBytes; at += 1) {
      if (names[from + at] !== name[at]) return false
    }
    return true
  }

  /** The newest entry of that name; -1: none. */
  function entryOf(name: Uint8Array): number {
    if (size === 0 || made === null || !isSha256Name(name)) return -1
    const { names, slots } = made
    for (let slot = slotOf(name); ; slot = (slot + 1) & slotsMask) {
      const entry = (slots[slot] ?? 0) - 1
      if (entry === -1) return -1
      if (isAt(names, entry, name)) return entry
    }
  }

  return {
    get size() {
      return size
    },
    add(name, file, at, bytes) {
      made ??= {
        names: new Uint8Array(entriesMax * nameBytes),
        numbers: new Float64Array(entriesMax * width),
        slots: new Int32Array(entriesMax * 2),
      }
      const { names, numbers, slots } = made
      const existing = entryOf(name)
      const entry = existing === -1 ? size : existing
      if (existing === -1) {
        if (size === entriesMax) throw new RangeError('the table is full')
        for (let index = 0; index < nameBytes; index += 1) {
          names[entry * nameBytes + index] = name[index] ?? 0
        }
        let slot = slotOf(name)
        while (slots[slot] !== 0) slot = (slot + 1) & slotsMask
        slots[slot] = entry + 1
        size += 1
      }
      numbers[entry * width] = file
      numbers[entry * width + 1] = at
      numbers[entry * width + 2] = bytes
    },
    has(multihash) {
      return entryOf(multihash) !== -1
    },
    find(multihash) {
      const entry = entryOf(multihash)
      if (entry === -1 || made === null) return null
      const { numbers } = made
      const file = numbers[entry * width] ?? 0
      const at = numbers[entry * width + 1] ?? 0
      const bytes = numbers[entry * width + 2] ?? 0
      return { file, at, bytes, form: verbatim, size: bytes }
    },
    order() {
      const all = new Float64Array(size)
      if (made === null) return all
      const view = new DataView(made.names.buffer)
      for (let entry = 0; entry < size; entry += 1) {
        const start = view.getUint32(entry * nameBytes + digestAt) >>> (32 - orderBits)
        all[entry] = start * entriesMax + entry
      }
      return all.sort()
    },
    rows(order, from, to) {
      const rows: BlockValues[] = []
      if (made === null) return rows
      const { names, numbers } = made
      for (let index = from; index < Math.min(to, order.length); index += 1) {
        const entry = (order[index] ?? 0) % entriesMax
        const file = numbers[entry * width] ?? 0
        const at = numbers[entry * width + 1] ?? 0
        const bytes = numbers[entry * width + 2] ?? 0
        const hash = names.subarray(entry * nameBytes, (entry + 1) * nameBytes)
        rows.push([hash, file, at, bytes, verbatim, bytes])
      }
      return rows
    },
    clear() {
      if (size > 0) made?.slots.fill(0)
      size = 0
    },
  }
}

export type PendingBlocks = {
  /** Reserves space for that many more blocks until `give`. False: full; the caller then writes the rows itself. */
  reserve(blocks: number): boolean
  unreserve(blocks: number): void
  /** Adds a block in reserved space. `name`: its sha2-256 multihash. */
  add(name: Uint8Array, file: number, at: number, bytes: number): void
  has(multihash: Uint8Array): boolean
  find(multihash: Uint8Array): BlockPlace | null
  /** The log is on disk up to `end`, and has grown by that many bytes and records since the last report. */
  onLog(end: Place, bytes: number, records: number): void
  /** Resolves when all blocks added before the call have rows. Throws `no_space` and the errors of a Writer. */
  settle(): Promise<void>
  /** As `settle`, then moves the checkpoint past all of them, so that a start does not read them from the log again. */
  catchUp(): Promise<void>
  /** As `catchUp`, but may return the checkpoint's row for a write of the caller. */
  beforeForgetting(): Promise<RowChanges>
  close(): Promise<void>
}

/** Capacity of each of two tables: one that is filled, and one whose rows are written. */
const tableEntries = 16_384
/** Number of pending blocks at which rows are written without waiting for the timer. */
const rowsAtOnce = 8192
/** The same for bytes and records of the log, so that a start has little to read again. */
const logBytesMax = 32 * 1024 * 1024
const logRecordsMax = 16_384
const waitMs = 250
/** Retry after a failed write: a full device may have space again. */
const retryMs = 1000
/** Rows that one write packs at a time: packing more would block this thread for too long. */
const stepRows = 512

/** `begin`: see SegmentWriters; held until the rows are written. */
export function createPendingBlocks(parts: {
  readonly writer: Pick<Writer, 'write'>
  readonly clock: Clock
  readonly log: Log
  readonly begin: () => () => void
}): PendingBlocks {
  const { writer, clock, log, begin } = parts
  let growing = createPlaceTable(tableEntries)
  let growingDone: () => void = () => {}
  let writing = createPlaceTable(tableEntries)
  let writingDone: () => void = () => {}
  let reserved = 0
  let end: Place | null = null
  /** The checkpoint as last written. */
  let caughtUp: Place | null = null
  let logBytes = 0
  let logRecords = 0
  let flushing: Promise<void> | null = null
  let stopTimer: (() => void) | null = null
  /** Rows could not be written; the next try waits for the timer. */
  let backingOff = false
  let closed = false

  function flushAfter(delayMs: number): void {
    if (closed) return
    stopTimer ??= clock.after(delayMs, () => {
      stopTimer = null
      backingOff = false
      startFlush()
    })
  }

  /** Starts a flush in the background. */
  function startFlush(): void {
    if (flushing !== null || backingOff) return
    flush().catch((error: unknown) => {
      log('warn', 'index_not_written', { error })
      stopTimer?.()
      stopTimer = null
      backingOff = true
      flushAfter(retryMs)
    })
  }

  function flush(): Promise<void> {
    flushing ??= write().finally(() => (flushing = null))
    return flushing
  }

  async function write(): Promise<void> {
    stopTimer?.()
    stopTimer = null
    // Blocks of a failed flush are written first, in a separate batch.
    if (writing.size === 0) {
      ;[growing, writing] = [writing, growing]
      ;[growingDone, writingDone] = [() => {}, growingDone]
    }
    const upTo = growing.size === 0 ? end : null
    if (upTo !== null) [logBytes, logRecords] = [0, 0]
    const order = writing.order()
    const steps: Promise<unknown>[] = []
    try {
      for (let from = 0; from < order.length; from += stepRows) {
        const rows = writing.rows(order, from, from + stepRows)
        const step = writer.write([insertBlockValues(rows, clock.now())])
        step.catch(() => undefined)
        steps.push(step)
        await setImmediate()
      }
    } finally {
      await Promise.all(steps)
    }
    if (upTo !== null) {
      await writer.write([setCheckpoint(upTo)])
      caughtUp = upTo
    }
    writing.clear()
    writingDone()
    if (growing.size > 0) flushAfter(waitMs)
  }

  async function catchUp(): Promise<void> {
    if (flushing !== null) await flushing
    const target = end
    // The first flush may write what a failed one left behind.
    for (
      let flushes = 0;
      flushes < 2 && (writing.size > 0 || isBehind(caughtUp, target));
      flushes++
    ) {
      await flush()
    }
  }

  return {
    reserve(blocks) {
      if (growing.size + reserved + blocks > tableEntries) return false
      reserved += blocks
      return true
    },
    unreserve(blocks) {
      reserved -= blocks
    },
    add(name, file, at, bytes) {
      if (growing.size === 0) growingDone = begin()
      growing.add(name, file, at, bytes)
      if (growing.size >= rowsAtOnce) startFlush()
      else flushAfter(waitMs)
    },
    has: (multihash) => growing.has(multihash) || writing.has(multihash),
    find: (multihash) => growing.find(multihash) ?? writing.find(multihash),
    onLog(to, bytes, records) {
      end = to
      logBytes += bytes
      logRecords += records
      if (logBytes >= logBytesMax || logRecords >= logRecordsMax) startFlush()
    },
    async settle() {
      if (flushing !== null) await flushing
      const left = writing.size > 0
      if (left || growing.size > 0) await flush()
      if (left && growing.size > 0) await flush()
    },
    catchUp,
    async beforeForgetting() {
      const isIdle = flushing === null && writing.size + growing.size === 0
      if (isIdle) return end !== null && isBehind(caughtUp, end) ? [setCheckpoint(end)] : []
      await catchUp()
      return []
    },
    async close() {
      stopTimer?.()
      closed = true
      if (flushing !== null) await flushing.catch(() => undefined)
    },
  }
}

function isBehind(checkpoint: Place | null, end: Place | null): boolean {
  if (checkpoint === null || end === null) return end !== null
  return checkpoint.file < end.file || (checkpoint.file === end.file && checkpoint.at < end.at)
}
