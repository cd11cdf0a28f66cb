// Caches ranges of objects on the local disk: whole chunks, one file each, with least-recently-used eviction. Objects are
// immutable, so a chunk is never stale. If a chunk is corrupt, its blocks fail verification, and the following reread drops it.
// Chunks survive a restart.
// Tested by src/content/objects/range-cache.test.ts
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { createSingleFlight } from '../../base/single-flight.ts'
import { type ObjectStore, ObjectNotFound } from './object-store.ts'

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
  /** As `read`, in the buffers that hold it: copies nothing. At least one, unless `bytes` is 0. */
  readParts(
    file: number,
    at: number,
    bytes: number,
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[]>
  /** Bytes in the cache. */
  readonly bytes: number
  /** Resolves when all chunks are written. */
  close(): Promise<void>
}

/** Adjacent chunks of one request. */
type Run = { readonly first: number; readonly count: number }

export const chunkBytes = 1024 * 1024
/** Adjacent chunks of one request to the object store. */
export const requestChunksMax = 4
/** A chunk counts as at least this many bytes, which limits the number of chunks. */
const countedBytesMin = 128 * 1024
/** Maximum number of chunks being written to disk; further ones are not cached. Each may hold the buffer of its request: 128 MiB. */
const writesMax = 32
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
  /** Chunks that are being fetched, with their request. */
  const requested = new Map<string, Run>()
  /** Sizes of chunks, least recently used first. */
  const chunkSizes = bytesMax === 0 ? new Map<string, number>() : await listChunks(path)
  let total = 0
  for (const bytes of chunkSizes.values()) total += counted(bytes)
  await evict()

  function pathOf(key: string): string {
    return join(path, key)
  }

  async function drop(key: string): Promise<void> {
    const bytes = chunkSizes.get(key)
    if (bytes === undefined) return
    chunkSizes.delete(key)
    total -= counted(bytes)
    await rm(pathOf(key), { force: true })
  }

  async function evict(): Promise<void> {
    for (const key of chunkSizes.keys()) {
      if (total <= bytesMax) return
      await drop(key)
    }
  }

  /** Null: not cached, or shorter than `least`. */
  async function findChunk(key: string, least: number): Promise<Uint8Array | null> {
    // The next block is often in the same chunk, and is read before the chunk is on the disk.
    const written = writes.get(key)?.chunk
    if (written !== undefined && written.length >= least) return written
    const bytes = chunkSizes.get(key)
    if (bytes === undefined || bytes < least) return null
    chunkSizes.delete(key)
    chunkSizes.set(key, bytes)
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
    total += counted(chunk.length) - counted(chunkSizes.get(key))
    chunkSizes.delete(key)
    chunkSizes.set(key, chunk.length)
    await evict()
  }

  /** The chunks from `first` on, of one request. A reread must not share a request that began before it. */
  function fetchRun(file: number, run: Run, signal: AbortSignal, again: boolean) {
    const { first, count } = run
    const keys = Array.from({ length: count }, (_, index) => `${file}-${first + index}`)
    const flight = `${keys[0]}+${count}${again ? ' again' : ''}`
    return fetches.join(flight, signal, async (either) => {
      if (!again) for (const key of keys) requested.set(key, run)
      try {
        const least = (count - 1) * chunkBytes + 1
        const at = first * chunkBytes
        const name = objectName(file)
        const fetched = await objects.read(name, at, least, either, count * chunkBytes)
        for (const [index, key] of keys.entries()) store(key, chunkIn(fetched, index))
        return fetched
      } finally {
        for (const key of keys) if (requested.get(key) === run) requested.delete(key)
      }
    })
  }

  /** The chunks from `first` to `last`. Missing neighbours share a request. */
  async function chunksOf(
    file: number,
    first: number,
    last: number,
    lastBytes: number,
    signal: AbortSignal,
    again: boolean,
  ): Promise<readonly Uint8Array[]> {
    const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    const local = await Promise.all(
      indexes.map(async (index) => {
        const key = `${file}-${index}`
        if (!again) return await findChunk(key, index === last ? lastBytes : chunkBytes)
        await drop(key)
        return null
      }),
    )
    /** A request may have ended while the disk was read. */
    const localAt = (index: number): Uint8Array | null =>
      local[index - first] ?? (again ? null : (writes.get(`${file}-${index}`)?.chunk ?? null))
    const isNew = (index: number): boolean =>
      index <= last && localAt(index) === null && (again || !requested.has(`${file}-${index}`))
    const chunks: Promise<Uint8Array>[] = []
    for (let index = first; index <= last;) {
      const found = localAt(index)
      if (found !== null) {
        chunks.push(Promise.resolve(found))
        index += 1
        continue
      }
      const joined = again ? undefined : requested.get(`${file}-${index}`)
      const run = joined ?? { first: index, count: countNew(index, isNew) }
      const fetched = fetchRun(file, run, signal, again)
      for (const end = run.first + run.count; index <= last && index < end; index += 1) {
        const at = index - run.first
        chunks.push(fetched.then((bytes) => chunkIn(bytes, at)))
      }
    }
    return await Promise.all(chunks)
  }

  async function readParts(
    file: number,
    at: number,
    bytes: number,
    signal: AbortSignal,
    again = false,
  ): Promise<readonly Uint8Array[]> {
    if (bytes === 0) return []
    if (bytesMax === 0) return [await objects.read(objectName(file), at, bytes, signal)]
    const first = Math.floor(at / chunkBytes)
    const last = Math.floor((at + bytes - 1) / chunkBytes)
    const chunks = await chunksOf(file, first, last, at + bytes - last * chunkBytes, signal, again)
    const parts: Uint8Array[] = []
    for (const [index, chunk] of chunks.entries()) {
      const origin = (first + index) * chunkBytes
      const end = Math.min(chunkBytes, at + bytes - origin)
      if (chunk.length < end) throw new ObjectNotFound(objectName(file))
      const part = chunk.subarray(Math.max(0, at - origin), end)
      const joined = joinAdjacent(parts.at(-1), part)
      if (joined === null) parts.push(part)
      else parts[parts.length - 1] = joined
    }
    return parts
  }

  return {
    async read(file, at, bytes, signal, again = false) {
      const [first, ...others] = await readParts(file, at, bytes, signal, again)
      if (first === undefined) return new Uint8Array(0)
      return others.length === 0 ? first : Buffer.concat([first, ...others])
    },
    readParts: (file, at, bytes, signal) => readParts(file, at, bytes, signal),
    get bytes() {
      return total
    },
    async close() {
      await Promise.all([...writes.values()].map(({ work }) => work))
    },
  }
}

function chunkIn(fetched: Uint8Array, index: number): Uint8Array {
  return fetched.subarray(index * chunkBytes, (index + 1) * chunkBytes)
}

/** Chunks from `index` on that go into one request. */
function countNew(index: number, isNew: (index: number) => boolean): number {
  let count = 1
  while (count < requestChunksMax && isNew(index + count)) count += 1
  return count
}

/** One view of two that are neighbours in a buffer; null: they are not. */
function joinAdjacent(before: Uint8Array | undefined, next: Uint8Array): Uint8Array | null {
  if (before === undefined || before.buffer !== next.buffer) return null
  if (before.byteOffset + before.length !== next.byteOffset) return null
  return new Uint8Array(before.buffer, before.byteOffset, before.length + next.length)
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
