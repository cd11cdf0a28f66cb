// Segments that are open for reading: at most so many at a time, the one used longest ago is closed first, and
// none while a read of it is under way.
// Tested by src/content/segments/segment-files.test.ts
import type { FileOps, OpenFile } from '../file-ops.ts'

export type OpenFiles = {
  /** Fills `into`; how many bytes there were. Throws what the system says. */
  read(id: number, into: Uint8Array, at: number): Promise<number>
  readNow(id: number, into: Uint8Array, at: number): number
  /** Closes it as soon as nobody reads it. */
  forget(id: number): void
  /** Closes all. After the last read. */
  close(): Promise<void>
}

type Entry = { readonly file: OpenFile; readers: number; forgotten: boolean }

export function createOpenFiles(parts: {
  readonly ops: FileOps
  readonly pathOf: (id: number) => string
  readonly filesMax: number
}): OpenFiles {
  const { ops, pathOf, filesMax } = parts
  const entries = new Map<number, Entry>()

  function entryOf(id: number): Entry {
    const known = entries.get(id)
    if (known !== undefined) {
      entries.delete(id)
      entries.set(id, known)
      return known
    }
    const entry = { file: ops.openNow(pathOf(id)), readers: 0, forgotten: false }
    entries.set(id, entry)
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
  async function closed({ file }: Entry): Promise<void> {
    await ops.close(file).catch(() => undefined)
  }

  return {
    async read(id, into, at) {
      const entry = entryOf(id)
      entry.readers += 1
      try {
        return await ops.read(entry.file, into, at)
      } finally {
        entry.readers -= 1
        if (entry.forgotten && entry.readers === 0) void closed(entry)
      }
    },
    readNow: (id, into, at) => ops.readNow(entryOf(id).file, into, at),
    forget,
    async close() {
      const all = [...entries.values()]
      entries.clear()
      await Promise.all(all.map(closed))
    },
  }
}
