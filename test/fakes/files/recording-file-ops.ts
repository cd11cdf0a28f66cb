// FileOps in memory that simulate power loss: synced data survives; of unsynced data, any part survives, in any order, torn at any
// sector. Calls `onStep` before and after each operation.
import type { FileOps, OpenFile } from '../../../src/content/file-ops.ts'
import { systemError } from './memory-file-ops.ts'

type Write = { readonly at: number; readonly bytes: Uint8Array; done: boolean }
type Recorded = {
  /** Content as a reader sees it now. */
  seen: Uint8Array
  /** Content that is certainly durable. */
  sure: Uint8Array
  unsure: Write[]
  /** Whether its directory entry is durable. */
  named: boolean
}

export type RecordingFileOps = FileOps & {
  /** A possible content of the disk after a power loss now. `random`: returns a number below its argument. */
  afterPowerLoss(random: (limit: number) => number): Map<string, Uint8Array>
}

const sectorBytes = 512

export function createRecordingFileOps(onStep: () => void): RecordingFileOps {
  const files = new Map<string, Recorded>()

  function get({ path }: { readonly path: string }): Recorded {
    const file = files.get(path)
    if (file === undefined) throw systemError('ENOENT', path)
    return file
  }

  async function step<Result>(run: () => Result): Promise<Result> {
    onStep()
    await new Promise(setImmediate)
    const result = run()
    onStep()
    return result
  }

  function readNow(file: OpenFile, into: Uint8Array, at: number): number {
    const part = get(file).seen.subarray(at, at + into.length)
    into.set(part)
    return part.length
  }

  return {
    open: async (path, how = {}) =>
      await step(() => {
        if (how.create === true) {
          if (files.has(path)) throw systemError('EEXIST', path)
          const none = new Uint8Array(0)
          files.set(path, { seen: none, sure: none, unsure: [], named: false })
        }
        get({ path })
        return { path }
      }),
    openNow(path) {
      get({ path })
      return { path }
    },
    async writev(file, buffers, at) {
      const recorded = get(file)
      const write: Write = { at, bytes: Buffer.concat(buffers), done: false }
      // From now on any part of it may be on the disk.
      recorded.unsure.push(write)
      await step(() => {
        recorded.seen = written(recorded.seen, write)
        write.done = true
      })
    },
    async writeSynced(file, buffers, at) {
      const recorded = get(file)
      const write: Write = { at, bytes: Buffer.concat(buffers), done: false }
      recorded.unsure.push(write)
      await step(() => {
        recorded.seen = written(recorded.seen, write)
        recorded.sure = written(recorded.sure, write)
        recorded.unsure = recorded.unsure.filter((other) => other !== write)
      })
    },
    read: async (file, into, at) => readNow(file, into, at),
    readNow,
    async datasync(file) {
      const recorded = get(file)
      const covered = recorded.unsure.filter(({ done }) => done)
      await step(() => {
        for (const write of covered) recorded.sure = written(recorded.sure, write)
        recorded.unsure = recorded.unsure.filter((write) => !covered.includes(write))
      })
    },
    async close() {},
    makeFolderNow() {},
    listNow: (path) =>
      [...files]
        .filter(([name]) => name.startsWith(`${path}/`))
        .map(([name, { seen }]) => ({ name: name.slice(path.length + 1), bytes: seen.length })),
    diskSpaceNow: () => null,
    async syncDirectory(path) {
      const covered = [...files].filter(([name]) => name.startsWith(`${path}/`))
      await step(() => {
        for (const [, file] of covered) file.named = true
      })
    },
    async rename(from, to) {
      files.set(to, get({ path: from }))
      files.delete(from)
    },
    unlink: async (path) => await step(() => void files.delete(path)),
    afterPowerLoss(random) {
      const left = new Map<string, Uint8Array>()
      for (const [path, { sure, unsure, named }] of files) {
        if (!named && random(2) === 0) continue
        let content = sure
        for (const write of shuffled(unsure, random)) {
          const part = tornWrite(write, random)
          if (part !== null) content = written(content, part)
        }
        left.set(path, content)
      }
      return left
    },
  }
}

/** Returns all of it, nothing, or some sectors. */
function tornWrite(write: Write, random: (limit: number) => number): Write | null {
  const fate = random(3)
  if (fate < 2) return fate === 0 ? write : null
  const bytes = new Uint8Array(write.bytes)
  for (let at = 0; at < bytes.length; at += sectorBytes) {
    if (random(2) === 0) bytes.fill(0, at, at + sectorBytes)
  }
  return { ...write, bytes }
}

function shuffled<Each>(all: readonly Each[], random: (limit: number) => number): Each[] {
  const rest = [...all]
  return all.flatMap(() => rest.splice(random(rest.length), 1))
}

function written(content: Uint8Array, { at, bytes }: Write): Uint8Array {
  const next = new Uint8Array(Math.max(content.length, at + bytes.length))
  next.set(content)
  next.set(bytes, at)
  return next
}
