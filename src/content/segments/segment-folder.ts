// The files of a store by number: `ext/<n>.ext` hold only file bytes, `log/<n>.log` records. Numbers are never reused; a
// file is written only by the process that created it.
// Tested by src/content/segments/segment-files.test.ts
import { Fault } from '../../base/fault.ts'
import { join } from 'node:path'
import type { FileOps, OpenFile } from '../file-ops.ts'

export type WriteFailure = {
  readonly isBroken: boolean
  /** Throws `no_space` once a sync has failed. */
  check(): void
  /** Call when a sync failed. */
  note(cause: unknown): void
}

/** `onBreak`: called with the first failure. */
export function createWriteFailure(onBreak: (cause: unknown) => void): WriteFailure {
  let broken: { readonly cause: unknown } | null = null
  return {
    get isBroken() {
      return broken !== null
    },
    check() {
      if (broken !== null) throw new Fault('no_space', { cause: broken.cause })
    },
    note(cause) {
      if (broken !== null) return
      broken = { cause }
      onBreak(cause)
    },
  }
}

/** Fault for a failed write: a full device is `no_space`, any other error `internal`. */
export function writeFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  return new Fault(isFull(error) ? 'no_space' : 'internal', { cause: error })
}

/** Whether no byte was written, because the file could not be opened, as with too many open files. */
export function failedToOpen(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open'
}

/** The device is full, and no other error occurred. */
export function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

export type SegmentWriters = {
  /** Registers a writer, or unwritten rows, until the returned function is called. */
  begin(): () => void
  /** The lowest number of this kind that may still change. */
  floor(kind: SegmentKind): number
}

/** `current`: the file of each kind that is being written; null: none. `next`: number of the next new file. */
export function createSegmentWriters(parts: {
  readonly current: (kind: SegmentKind) => number | null
  readonly next: () => number
}): SegmentWriters {
  const { current, next } = parts
  const active = new Set<Record<SegmentKind, number>>()
  const floorNow = (kind: SegmentKind): number => current(kind) ?? next()
  return {
    begin() {
      const floors = { ext: floorNow('ext'), log: floorNow('log') }
      active.add(floors)
      return () => void active.delete(floors)
    },
    floor(kind) {
      let lowest = floorNow(kind)
      for (const floors of active) lowest = Math.min(lowest, floors[kind])
      return lowest
    },
  }
}

export type SegmentKind = 'ext' | 'log'

const segmentKinds: readonly SegmentKind[] = ['ext', 'log']

export type SegmentFolder = {
  /** Throws if there is no such file. */
  pathOf(id: number): string
  /** Numbers and sizes, ascending. Data written after `create` counts once it was claimed. */
  files(): readonly { readonly id: number; readonly kind: SegmentKind; readonly bytes: number }[]
  /** Creates a file and syncs its name. `direct`: see FileOps. */
  create(
    kind: SegmentKind,
    direct: boolean,
  ): Promise<{ readonly id: number; readonly file: OpenFile }>
  /**
   * Counts `bytes` that are about to be written at the end of a file; a negative number takes back a claim. Throws `no_space` past
   * `bytesMax`, and if the device is nearly full.
   */
  claim(id: number, bytes: number): void
  /** Total size of all files. */
  readonly bytes: number
  /** Number of the next new file. */
  readonly next: number
  remove(id: number): Promise<void>
}

/**
 * Space of a device that is reserved for database rows, or a sixteenth of a small device: unpinning and garbage collection write
 * rows, so a full device can still be emptied.
 */
const spareBytes = 32 * 1024 * 1024
/** Number of claimed bytes after which the device is checked again, because other programs write to it too. */
const lookAgainBytes = 8 * 1024 * 1024

/**
 * Creates missing folders. `otherBytes`: other data within the same limit; `bytesMax`: limit of both together, null:
 * limited by the device only.
 */
export function openSegmentFolder(parts: {
  readonly ops: FileOps
  readonly path: string
  readonly bytesMax: number | null
  readonly otherBytes: () => number
  /** Called with the total size of all files, at the start and then at every sixteenth of `bytesMax`. */
  readonly onGrow?: (bytes: number) => void
}): SegmentFolder {
  const { ops, path, bytesMax, otherBytes, onGrow = () => {} } = parts
  const segments = new Map<number, { readonly kind: SegmentKind; bytes: number }>()
  let total = 0
  let last = 0
  for (const kind of segmentKinds) ops.makeFolderNow(join(path, kind))
  look()

  function look(): void {
    for (const kind of segmentKinds) {
      for (const { name, bytes } of ops.listNow(join(path, kind))) {
        const id = idOf(name, kind)
        if (id === null || segments.has(id)) continue
        segments.set(id, { kind, bytes })
        total += bytes
        last = Math.max(last, id)
      }
    }
  }

  const stepBytes = bytesMax === null ? Number.POSITIVE_INFINITY : Math.ceil(bytesMax / 16)
  let reported = total
  onGrow(total)

  let freeBytes = 0
  let claimedBytes = 0
  function mustFit(bytes: number): void {
    claimedBytes += bytes
    if (freeBytes < bytes || claimedBytes > lookAgainBytes) {
      freeBytes = deviceSpace(ops, path)
      claimedBytes = 0
    }
    if (freeBytes < bytes) throw new Fault('no_space')
    freeBytes -= bytes
  }

  function pathOf(id: number): string {
    // A command next to a running server finds files created after its listing.
    if (!segments.has(id)) look()
    const segment = segments.get(id)
    if (segment === undefined) throw new Error(`there is no segment ${id}`)
    return join(path, segment.kind, `${id}.${segment.kind}`)
  }

  return {
    pathOf,
    files: () =>
      [...segments]
        .map(([id, { kind, bytes }]) => ({ id, kind, bytes }))
        .sort((one, other) => one.id - other.id),
    async create(kind, direct) {
      const id = (last += 1)
      const file = await ops.open(join(path, kind, `${id}.${kind}`), { create: true, direct })
      segments.set(id, { kind, bytes: 0 })
      try {
        await ops.syncDirectory(join(path, kind))
      } catch (error) {
        // The name of the file may not be durable, so nothing may be written to it.
        await ops.close(file)
        throw error
      }
      return { id, file }
    },
    claim(id, bytes) {
      if (bytes > 0) mustFit(bytes)
      if (bytesMax !== null && bytes > 0 && total + bytes + otherBytes() > bytesMax) {
        throw new Fault('no_space')
      }
      const segment = segments.get(id)
      if (segment === undefined) throw new Error(`there is no segment ${id}`)
      segment.bytes += bytes
      total += bytes
      if (total - reported < stepBytes) return
      reported = total
      onGrow(total)
    },
    get bytes() {
      return total
    },
    get next() {
      return last + 1
    },
    async remove(id) {
      await ops.unlink(pathOf(id))
      total -= segments.get(id)?.bytes ?? 0
      segments.delete(id)
    },
  }
}

/** Free bytes on the device of `path`; Infinity if the device does not report it. */
export function deviceSpace(ops: Pick<FileOps, 'diskSpaceNow'>, path: string): number {
  const device = ops.diskSpaceNow(path)
  if (device === null) return Number.POSITIVE_INFINITY
  return device.free - Math.min(spareBytes, device.all / 16)
}

/** Bytes in all files of a store at `path`, without creating anything; 0: nothing was ever written. */
export function segmentBytes(ops: FileOps, path: string): number {
  let total = 0
  for (const kind of segmentKinds) {
    for (const { name, bytes } of ops.listNow(join(path, kind))) {
      if (idOf(name, kind) !== null) total += bytes
    }
  }
  return total
}

function idOf(name: string, kind: SegmentKind): number | null {
  const found = /^([1-9]\d{0,9})\.(ext|log)$/.exec(name)
  return found === null || found[2] !== kind ? null : Number(found[1])
}
