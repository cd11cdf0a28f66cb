// A file for appending. When it is full, it is renamed to `<file>.1`, the previous one to `<file>.2`, and the oldest is deleted. A
// program such as logrotate may rename it instead, and then `reopen` is called.
// Tested by src/base/rotated-file.test.ts
import { type FileHandle, open, rename, rm } from 'node:fs/promises'

export type RotatedFile = {
  /** Appends whole lines. Call it again only after it has settled. Rejects with the error of the file system. */
  append(text: string): Promise<void>
  /** The next `append` opens the file again by its name. */
  reopen(): void
  /** Opens the file, if it is not open. Rejects as `append`. */
  open(): Promise<void>
  close(): Promise<void>
}

/** Written by the owner; readable by its group, such as the group of a log collector. */
const fileMode = 0o640
const lineFeed = 0x0a

/** `bytesMax`: only a longer line exceeds it; 0: no limit. `filesMax`: number of files, including the current one. */
export function createRotatedFile(parts: {
  readonly file: string
  readonly bytesMax: number
  readonly filesMax: number
}): RotatedFile {
  const { file, bytesMax, filesMax } = parts
  let handle: FileHandle | null = null
  let bytes = 0
  let isStale = false
  /** True after a failed write, which may have ended in the middle of a line. */
  let isTorn = false

  async function close(): Promise<void> {
    const open = handle
    handle = null
    await open?.close()
  }

  async function opened(): Promise<FileHandle> {
    if (isStale) await close()
    isStale = false
    if (handle !== null) return handle
    const fresh = await open(file, 'a', fileMode)
    handle = fresh
    bytes = (await fresh.stat()).size
    return fresh
  }

  async function write(lines: Buffer): Promise<void> {
    const to = await opened()
    const torn = isTorn
    isTorn = true
    await to.appendFile(torn ? Buffer.concat([Buffer.of(lineFeed), lines]) : lines)
    isTorn = false
    bytes += lines.length + (torn ? 1 : 0)
  }

  async function rotate(): Promise<void> {
    await close()
    if (filesMax === 1) await rm(file, { force: true })
    for (let number = filesMax - 1; number > 0; number--) {
      await moveIfThere(number === 1 ? file : `${file}.${number - 1}`, `${file}.${number}`)
    }
    isTorn = false
    await opened()
  }

  return {
    async append(text) {
      await opened()
      let rest: Buffer = Buffer.from(text)
      while (rest.length > 0) {
        const length = bytesMax === 0 ? rest.length : lengthOfLines(rest, bytesMax - bytes)
        if (length === 0 && bytes > 0) {
          await rotate()
        } else {
          const end = length === 0 ? lengthOfFirstLine(rest) : length
          await write(rest.subarray(0, end))
          rest = rest.subarray(end)
        }
      }
    },
    reopen() {
      isStale = true
    },
    async open() {
      await opened()
    },
    close,
  }
}

function lengthOfFirstLine(lines: Buffer): number {
  const at = lines.indexOf(lineFeed)
  return at === -1 ? lines.length : at + 1
}

/** Size of the whole lines at the start of `lines` that fit into `bytesMax` bytes. */
function lengthOfLines(lines: Buffer, bytesMax: number): number {
  if (lines.length <= bytesMax) return lines.length
  return bytesMax <= 0 ? 0 : lines.lastIndexOf(lineFeed, bytesMax - 1) + 1
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
