// Segments that are open for reading: their number is limited; the least recently used one is closed first, but never during a
// read.
// Tested by src/content/segments/segment-files.test.ts
import type { FileOps, OpenFile } from '../file-ops.ts'

export type OpenFiles = {
  /** Fills `into`; returns the number of bytes. Throws the system's error. */
  read(id: number, into: Uint8Array, at: number): Promise<number>
  /**
   * The same without the page cache, if direct I/O is supported, which requires `into`, its length and `at` to be page-aligned;
   * otherwise through the page cache.
   */
  readPast(id: number, into: Uint8Array, at: number): Promise<number>
  readNow(id: number, into: Uint8Array, at: number): number
  /** Closes the file after its last read. */
  forget(id: number): void
  /** Closes all files. Call it after the last read. */
  close(): Promise<void>
}

type Entry = {
  readonly file: OpenFile
  /** The same file with direct I/O; null if unsupported or not opened yet. */
  past: Promise<OpenFile | null> | null
  readers: number
  forgotten: boolean
}

export function createOpenFiles(parts: {
  readonly ops: FileOps
  readonly pathOf: (id: number) => string
  readonly filesMax: number
}): OpenFiles {
  const { ops, pathOf, filesMax } = parts
  const entries = new Map<number, Entry>()
  /** Until the file system refuses direct I/O once. */
  let hasWayPast = true

  /** The entry used last, which need not be moved to the end again. */
  let newest: { readonly id: number; readonly entry: Entry } | null = null

  function entryOf(id: number): Entry {
    if (newest?.id === id && !newest.entry.forgotten) return newest.entry
    const cached = entries.get(id)
    if (cached !== undefined) {
      entries.delete(id)
      entries.set(id, cached)
      newest = { id, entry: cached }
      return cached
    }
    const entry = { file: ops.openNow(pathOf(id)), past: null, readers: 0, forgotten: false }
    entries.set(id, entry)
    newest = { id, entry }
    if (entries.size > filesMax) closeOldest()
    return entry
  }

  function closeOldest(): void {
    for (const [id, { readers }] of entries) {
      if (readers > 0) continue
      return forget(id)
    }
  }

  function forget(id: number): void {
    const entry = entries.get(id)
    if (entry === undefined) return
    entries.delete(id)
    entry.forgotten = true
    if (entry.readers === 0) void closed(entry)
  }

  /** A failed close of a file opened for reading loses no data. */
  async function closed({ file, past }: Entry): Promise<void> {
    await ops.close(file).catch(() => undefined)
    const other = await past
    if (other !== null) await ops.close(other).catch(() => undefined)
  }

  async function reading(id: number, read: (entry: Entry) => Promise<number>): Promise<number> {
    const entry = entryOf(id)
    entry.readers += 1
    try {
      return await read(entry)
    } finally {
      entry.readers -= 1
      if (entry.forgotten && entry.readers === 0) void closed(entry)
    }
  }

  async function readPast(entry: Entry, id: number, into: Uint8Array, at: number): Promise<number> {
    entry.past ??= ops.open(pathOf(id), { direct: true }).catch(() => null)
    const past = await entry.past
    try {
      if (past !== null) return await ops.read(past, into, at)
    } catch {
      // Some file systems refuse only the first direct read; a real error is thrown by the normal read below.
    }
    hasWayPast = false
    return await ops.read(entry.file, into, at)
  }

  return {
    read: (id, into, at) => reading(id, ({ file }) => ops.read(file, into, at)),
    readPast: (id, into, at) =>
      reading(id, (entry) =>
        hasWayPast ? readPast(entry, id, into, at) : ops.read(entry.file, into, at),
      ),
    readNow: (id, into, at) => ops.readNow(entryOf(id).file, into, at),
    forget,
    async close() {
      newest = null
      const all = [...entries.values()]
      entries.clear()
      await Promise.all(all.map(closed))
    },
  }
}
