// Segments that are open for reading: at most so many at a time, the one used longest ago is closed first, and
// none while a read of it is under way.
// Tested by src/content/segments/segment-files.test.ts
import type { FileOps, OpenFile } from '../file-ops.ts'

export type OpenFiles = {
  /** Fills `into`; how many bytes there were. Throws what the system says. */
  read(id: number, into: Uint8Array, at: number): Promise<number>
  /**
   * The same past the cache of the system where there is a way, which wants `into`, its length and `at` at whole
   * pages; else through it.
   */
  readPast(id: number, into: Uint8Array, at: number): Promise<number>
  readNow(id: number, into: Uint8Array, at: number): number
  /** Closes it as soon as nobody reads it. */
  forget(id: number): void
  /** Closes all. After the last read. */
  close(): Promise<void>
}

type Entry = {
  readonly file: OpenFile
  /** The same file past the cache; null when there is no way, or not asked for yet. */
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
  /** Until it was refused once. */
  let hasWayPast = true

  /** Used last, so that it need not be put behind the others. */
  let newest: { readonly id: number; readonly entry: Entry } | null = null

  function entryOf(id: number): Entry {
    if (newest?.id === id && !newest.entry.forgotten) return newest.entry
    const known = entries.get(id)
    if (known !== undefined) {
      entries.delete(id)
      entries.set(id, known)
      newest = { id, entry: known }
      return known
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

  /** A file that was only read loses nothing by a close that fails. */
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
      // Some file systems refuse at the first read; what is really wrong shows below.
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
