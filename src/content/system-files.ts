// FileOps on the file system. Reads and writes are repeated until they are complete; a short one is not an error.
// Tested by src/content/segments/segment-files.test.ts
import fs from 'node:fs'
import type { FileOps, OpenFile } from './file-ops.ts'

type SystemFile = OpenFile & {
  readonly fd: number
  /** Idle descriptors of the same file, one per concurrent synced write. */
  readonly synced: number[]
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants
/** Undefined if the system does not support it. */
const direct = fs.constants.O_DIRECT as number | undefined
const dataSynced = fs.constants.O_DSYNC as number | undefined

/** One per process is enough; it has no state. */
export function createSystemFiles(): FileOps {
  return {
    async open(path, how = {}) {
      if (how.direct === true && direct === undefined) throw noDirect()
      const access = how.create === true ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY
      const flags = how.direct === true ? access | (direct ?? 0) : access
      return { path, fd: await openFd(path, flags), synced: [] } satisfies SystemFile
    },
    openNow: (path) => ({ path, fd: fs.openSync(path, O_RDONLY), synced: [] }) satisfies SystemFile,
    writev: (file, buffers, at) => writeAll(fdOf(file), buffers, at),
    async writeSynced(file, buffers, at) {
      if (dataSynced === undefined) {
        await writeAll(fdOf(file), buffers, at)
        return await syncData(fdOf(file))
      }
      const { synced } = file as SystemFile
      // One descriptor per write: Linux reports lost writeback once per open file, so of two concurrent writes the wrong one might
      // receive it. An idle descriptor is reused in the same turn: the caller of the previous write still has a millisecond of
      // work.
      const fd = synced.pop() ?? (await openFd(file.path, O_WRONLY | dataSynced))
      try {
        await writeAll(fd, buffers, at)
      } finally {
        synced.push(fd)
      }
    },
    read: (file, into, at) => readAll(fdOf(file), into, at),
    readNow(file, into, at) {
      const fd = fdOf(file)
      let got = 0
      while (got < into.length) {
        const read = fs.readSync(fd, into, got, into.length - got, at + got)
        if (read === 0) break
        got += read
      }
      return got
    },
    datasync: (file) => syncData(fdOf(file)),
    async close(file) {
      await Promise.all((file as SystemFile).synced.map(closeFd))
      await closeFd(fdOf(file))
    },
    makeFolderNow(path) {
      fs.mkdirSync(path, { recursive: true, mode: 0o700 })
    },
    listNow(path) {
      if (!fs.existsSync(path)) return []
      return fs
        .readdirSync(path)
        .map((name) => ({ name, bytes: fs.statSync(`${path}/${name}`).size }))
    },
    diskSpaceNow(path) {
      try {
        const { bavail, blocks, bsize } = fs.statfsSync(path)
        // Some network file systems report neither.
        return blocks > 0 ? { free: bavail * bsize, all: blocks * bsize } : null
      } catch {
        return null
      }
    },
    async syncDirectory(path) {
      const folder = await fs.promises.open(path, O_RDONLY)
      try {
        await folder.sync()
      } finally {
        await folder.close()
      }
    },
    rename: (from, to) => fs.promises.rename(from, to),
    unlink: (path) => fs.promises.unlink(path),
  }
}

function fdOf(file: OpenFile): number {
  return (file as SystemFile).fd
}

function openFd(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) =>
    fs.open(path, flags, 0o600, (error, fd) => (error === null ? resolve(fd) : reject(error))),
  )
}

function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fdatasync(fd, settle(resolve, reject)))
}

function closeFd(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.close(fd, settle(resolve, reject)))
}

function settle(
  resolve: () => void,
  reject: (error: Error) => void,
): (error: Error | null) => void {
  return (error) => (error === null ? resolve() : reject(error))
}

function writeAll(fd: number, buffers: readonly Uint8Array[], at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const step = (rest: readonly Uint8Array[], from: number): void => {
      fs.writev(fd, rest, from, (error, written) => {
        if (error !== null) return reject(error)
        const left = after(rest, written)
        if (left.length === 0) return resolve()
        if (written === 0) return reject(new Error('write returned 0 bytes'))
        step(left, from + written)
      })
    }
    step(buffers, at)
  })
}

/** The remaining `buffers` after their first `bytes` bytes. */
function after(buffers: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skip = bytes
  for (const [index, buffer] of buffers.entries()) {
    if (skip < buffer.length) return [buffer.subarray(skip), ...buffers.slice(index + 1)]
    skip -= buffer.length
  }
  return []
}

function readAll(fd: number, into: Uint8Array, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const step = (got: number): void => {
      fs.read(fd, into, got, into.length - got, at + got, (error, read) => {
        if (error !== null) return reject(error)
        if (read === 0 || got + read === into.length) return resolve(got + read)
        step(got + read)
      })
    }
    step(0)
  })
}

function noDirect(): Error {
  return Object.assign(new Error('this system has no direct writes'), { code: 'EINVAL' })
}
