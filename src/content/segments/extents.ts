// Extents: segments that hold only file bytes. Many uploads write to one extent in parallel, each a whole slot at its claimed
// offset; with direct I/O if the file system supports it, otherwise through the page cache, synced every 8 MiB.
// Tested by src/content/segments/segment-files.test.ts
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { FileOps, OpenFile } from '../file-ops.ts'
import { type SegmentFolder, type WriteFailure, writeFault } from './segment-folder.ts'

/** Location of bytes: segment number and offset. */
export type Place = { readonly file: number; readonly at: number }

export type Extents = {
  /**
   * Writes the first `bytes` of `slot`; the rest of the slot is overwritten. Durable after `sync`. Throws `no_space` or `internal`;
   * then none of it is valid.
   */
  write(slot: Uint8Array, bytes: number): Promise<Place>
  /** Makes everything written to these files before the call durable. Throws `no_space`, and ends all writing. */
  sync(files: Iterable<number>): Promise<void>
  /** Whether files are written with direct I/O; null before the first file. */
  readonly direct: boolean | null
  /** The file that is being written, or the first one that is being created. */
  readonly current: number | null
  /** Closes a file without writers, synced or not, because its data is not needed. */
  closeWritten(id: number): Promise<void>
  close(): Promise<void>
}

type Extent = {
  readonly id: number
  readonly file: OpenFile
  readonly direct: boolean
  tail: number
  /** Number of writes started, completed, and completed before the last successful sync began. */
  begun: number
  done: number
  synced: number
  unsyncedBytes: number
  syncing: Promise<void> | null
}

const alignment = 4096
const cachedBytesMax = 8 * 1024 * 1024

export function createExtents(parts: {
  readonly ops: FileOps
  readonly folder: SegmentFolder
  readonly breakage: WriteFailure
  readonly log: Log
  /** Size at which a file is sealed. */
  readonly sealBytes: number
}): Extents {
  const { ops, folder, breakage, log, sealBytes } = parts
  const open = new Map<number, Extent>()
  let current: Extent | null = null
  let creating: Promise<void> | null = null
  /** Number of the file that is being created. */
  let coming: number | null = null
  let direct: boolean | null = null

  async function create(): Promise<void> {
    const before = current
    try {
      const created = await make(direct ?? true)
      current = {
        ...created,
        tail: 0,
        begun: 0,
        done: 0,
        synced: 0,
        unsyncedBytes: 0,
        syncing: null,
      }
      open.set(current.id, current)
    } finally {
      coming = null
    }
    if (before !== null) await closeIfDone(before)
  }

  async function make(
    wanted: boolean,
  ): Promise<{ readonly id: number; readonly file: OpenFile; readonly direct: boolean }> {
    coming = folder.next
    try {
      const created = await folder.create('ext', wanted)
      direct ??= wanted
      return { ...created, direct: wanted }
    } catch (error) {
      if (!wanted || !isRefusal(error)) throw error
      giveUpDirect()
      return await make(false)
    }
  }

  function giveUpDirect(): void {
    if (direct === false) return
    direct = false
    log('warn', 'extents_not_direct', {
      reason: 'the file system takes no direct writes, so adding files costs more processor time',
    })
  }

  /** Closes the extent if it has no writer and all data is on disk. */
  async function closeIfDone(extent: Extent): Promise<void> {
    if (extent === current || extent.synced < extent.begun || !open.delete(extent.id)) return
    await ops.close(extent.file)
  }

  async function syncOne(extent: Extent): Promise<void> {
    const wanted = extent.done
    while (extent.synced < wanted) {
      breakage.check()
      extent.syncing ??= datasync(extent)
      await extent.syncing
    }
    await closeIfDone(extent)
  }

  async function datasync(extent: Extent): Promise<void> {
    const covered = extent.done
    extent.unsyncedBytes = 0
    try {
      await ops.datasync(extent.file)
      extent.synced = covered
    } catch (error) {
      breakage.note(error)
      throw new Fault('no_space', { cause: error })
    } finally {
      extent.syncing = null
    }
  }

  async function claim(bytes: number): Promise<{ extent: Extent; at: number }> {
    while (current === null || current.tail + bytes > sealBytes) {
      creating ??= create().finally(() => (creating = null))
      await creating
    }
    const at = current.tail
    folder.claim(current.id, bytes)
    current.tail += bytes
    current.begun += 1
    return { extent: current, at }
  }

  return {
    async write(slot, bytes) {
      breakage.check()
      const padded = Math.ceil(bytes / alignment) * alignment
      slot.fill(0, bytes, padded)
      for (;;) {
        const { extent, at } = await claim(padded).catch((error: unknown) => {
          throw writeFault(error)
        })
        try {
          await ops.writev(extent.file, [slot.subarray(0, padded)], at)
        } catch (error) {
          // Some file systems open a file for direct I/O and refuse the first write.
          if (!extent.direct || !isRefusal(error)) throw writeFault(error)
          giveUpDirect()
          if (current === extent) current = null
          continue
        } finally {
          extent.done += 1
        }
        extent.unsyncedBytes += padded
        if (!extent.direct && extent.unsyncedBytes >= cachedBytesMax) await syncOne(extent)
        return { file: extent.id, at }
      }
    },
    async sync(files) {
      breakage.check()
      await Promise.all(
        [...files].map(async (id) => {
          const extent = open.get(id)
          if (extent !== undefined) await syncOne(extent)
        }),
      )
    },
    get direct() {
      return direct
    },
    get current() {
      return current?.id ?? coming
    },
    async closeWritten(id) {
      const extent = open.get(id)
      if (extent === undefined || extent === current) return
      open.delete(id)
      await ops.close(extent.file)
    },
    async close() {
      const all = [...open.values()]
      open.clear()
      current = null
      await Promise.all(all.map(({ file }) => ops.close(file)))
    },
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EINVAL'
}
