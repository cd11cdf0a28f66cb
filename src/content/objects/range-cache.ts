// Caches ranges of objects on the local disk: whole chunks, one file each, with least-recently-used eviction. Objects are
// immutable, so a chunk is never stale. If a chunk is corrupt, its blocks fail verification, and the following reread drops it.
// Chunks survive a restart.
// Tested by src/content/objects/range-cache.test.ts
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { createSingleFlight } from '../../base/single-flight.ts'
import { type ObjectStore, ObjectGone } from './object-store.ts'

export type RangeReader = {
  /**
   * Exactly these bytes of the object of segment `file`. Throws as `ObjectStore.read`. `again`: drops the local copy and reads from
   * the object store.
   */
  read(
    file: number,
    at: number,
    bytes: number,
    signal: AbortSignal,
    again?: boolean,
  ): Promise<Uint8Array>
  /** Bytes in the cache. */
  readonly bytes: number
  /** Resolves when all chunks are written. */
  close(): Promise<void>
}

export const chunkBytes = 1024 * 1024
/** A chunk counts as at least this many bytes, which limits the number of chunks. */
const countedBytesMin = 128 * 1024
/** Maximum number of chunks being written to disk; further ones are not cached. */
const writesMax = 16
const fetchesMax = 10_000
const chunkName = /^\d+-\d+$/

export function objectName(file: number): string {
  return `segments/${file}`
}

/** `path`: a folder used only by the cache. `bytesMax` 0: no cache. */
export async function openRangeCache(parts: {
  readonly objects: Pick<ObjectStore, 'read'>
  readonly path: string
  readonly bytesMax: number
  readonly log: Log
}): Promise<RangeReader> {
  const { objects, path, bytesMax, log } = parts
  const fetches = createSingleFlight<Uint8Array>({ keysMax: fetchesMax })
  const writes = new Map<string, { readonly chunk: Uint8Array; readonly work: Promise<void> }>()
  /** Sizes of chunks, least recently used first. */
  const known = bytesMax === 0 ? new Map<string, number>() : await listChunks(path)
  let total = 0
  for (const bytes of known.values()) total += counted(bytes)
  await evict()

  function pathOf(key: string): string {
    return join(path, key)
  }

  async function drop(key: string): Promise<void> {
    const bytes = known.get(key)
    if (bytes === undefined) return
    known.delete(key)
    total -= counted(bytes)
    await rm(pathOf(key), { force: true })
  }

  async function evict(): Promise<void> {
    for (const key of known.keys()) {
      if (total <= bytesMax) return
      await drop(key)
    }
  }

  /** Null: not cached, or shorter than `least`. */
  async function findChunk(key: string, least: number): Promise<Uint8Array | null> {
    // The next block is often in the same chunk, and is read before the chunk is on the disk.
    const written = writes.get(key)?.chunk
    if (written !== undefined && written.length >= least) return written
    const bytes = known.get(key)
    if (bytes === undefined || bytes < least) return null
    known.delete(key)
    known.set(key, bytes)
    const found = await readFile(pathOf(key)).catch(() => null)
    if (found !== null && found.length >= least) return found
    await drop(key)
    return null
  }

  function store(key: string, chunk: Uint8Array): void {
    const earlier = writes.get(key)?.work
    if (earlier === undefined && writes.size >= writesMax) return
    // Two writes of a chunk use the same file.
    const work = Promise.resolve(earlier)
      .then(() => storeNow(key, chunk))
      .catch((error: unknown) => log('warn', 'object_not_cached', { error }))
      .finally(() => {
        if (writes.get(key)?.work === work) writes.delete(key)
      })
    writes.set(key, { chunk, work })
  }

  async function storeNow(key: string, chunk: Uint8Array): Promise<void> {
    await writeFile(pathOf(`${key}.part`), chunk)
    await rename(pathOf(`${key}.part`), pathOf(key))
    total += counted(chunk.length) - counted(known.get(key))
    known.delete(key)
    known.set(key, chunk.length)
    await evict()
  }

  async function chunkOf(
    file: number,
    index: number,
    least: number,
    signal: AbortSignal,
    again: boolean,
  ): Promise<Uint8Array> {
    const key = `${file}-${index}`
    if (again) await drop(key)
    const found = again ? null : await findChunk(key, least)
    if (found !== null) return found
    // A reread must not share a request that began before it.
    const chunk = await fetches.join(again ? `${key} again` : key, signal, async (either) => {
      const fetched = await objects.read(
        objectName(file),
        index * chunkBytes,
        1,
        either,
        chunkBytes,
      )
      store(key, fetched)
      return fetched
    })
    if (chunk.length < least) throw new ObjectGone(objectName(file))
    return chunk
  }

  return {
    async read(file, at, bytes, signal, again = false) {
      if (bytesMax === 0) return await objects.read(objectName(file), at, bytes, signal)
      const pieces: Promise<Uint8Array>[] = []
      for (let from = at; from < at + bytes;) {
        const index = Math.floor(from / chunkBytes)
        const start = from - index * chunkBytes
        const end = Math.min(chunkBytes, at + bytes - index * chunkBytes)
        pieces.push(
          chunkOf(file, index, end, signal, again).then((chunk) => chunk.subarray(start, end)),
        )
        from = index * chunkBytes + end
      }
      const [first, ...others] = await Promise.all(pieces)
      if (first === undefined) return new Uint8Array(0)
      return others.length === 0 ? first : Buffer.concat([first, ...others])
    },
    get bytes() {
      return total
    },
    async close() {
      await Promise.all([...writes.values()].map(({ work }) => work))
    },
  }
}

function counted(bytes: number | undefined): number {
  return bytes === undefined ? 0 : Math.max(bytes, countedBytesMin)
}

/** Lists chunks, oldest first. Removes files that are not complete chunks. */
async function listChunks(path: string): Promise<Map<string, number>> {
  await mkdir(path, { recursive: true })
  const found: { readonly name: string; readonly bytes: number; readonly time: number }[] = []
  for (const name of await readdir(path)) {
    if (chunkName.test(name)) {
      const { size, mtimeMs } = await stat(join(path, name))
      found.push({ name, bytes: size, time: mtimeMs })
    } else await rm(join(path, name), { force: true, recursive: true })
  }
  found.sort((one, other) => one.time - other.time)
  return new Map(found.map(({ name, bytes }) => [name, bytes]))
}
