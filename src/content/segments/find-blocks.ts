// Finds blocks by name: locations from the cache, from pending rows, and from the index; reads their bytes synchronously and
// unverified. The size in the index is checked before allocation: a corrupt row results in bytes that fail verification, never in
// an unbounded buffer.
// Tested by src/content/segments/segment-store.test.ts
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import {
  type BlockPlace,
  findPlace,
  findQuarantinedPlace,
  hasBlock,
  verbatim,
} from '../../tables/blocks.ts'
import type { OpenFiles } from './open-files.ts'
import type { Database } from '../../db/sqlite.ts'
import type { PendingBlocks } from './pending-blocks.ts'
import type { RecentPlaces } from './recent-places.ts'

/** Allocates an uninitialized array of that many bytes. */
export type SlabAllocator = (bytes: number) => Uint8Array

const slabBytes = 64 * 1024
/** Larger blocks are allocated separately. */
const sharedBytesMax = 8 * 1024

/**
 * Slab allocator for small blocks: one allocation per block would cost more than the 4 KiB read. Slabs are not reused,
 * so a retained block also retains the rest of its slab.
 */
function createSlabAllocator(): SlabAllocator {
  let slab: ArrayBufferLike = new ArrayBuffer(0)
  let used = 0
  return (bytes) => {
    if (bytes > sharedBytesMax) return allocateSeparately(bytes)
    if (used + bytes > slab.byteLength) {
      slab = Buffer.allocUnsafeSlow(slabBytes).buffer
      used = 0
    }
    const slice = new Uint8Array(slab, used, bytes)
    used += bytes
    return slice
  }
}

function allocateSeparately(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}

/** Maximum block size; a larger size in a row means that the row is corrupt. */
export const storedBytesMax = 16 * 1024 * 1024

/** Returns fewer bytes at the end of the file. Throws the system's error if the file cannot be read. */
export function readBlock(
  files: Pick<OpenFiles, 'readNow'>,
  { file, at, bytes, form }: BlockPlace,
  allocate: SlabAllocator = allocateSeparately,
): Uint8Array {
  if (!(bytes >= 0 && bytes <= storedBytesMax && at >= 0)) return new Uint8Array(0)
  if (form === verbatim) {
    const block = allocate(bytes)
    const got = files.readNow(file, block, at)
    return got < bytes ? block.subarray(0, got) : block
  }
  const prefix = leafPrefix(bytes)
  const suffix = leafSuffix(bytes)
  const block = allocate(prefix.length + bytes + suffix.length)
  const data = block.subarray(prefix.length, prefix.length + bytes)
  const got = files.readNow(file, data, at)
  if (got < bytes) return data.subarray(0, got)
  block.set(prefix)
  block.set(suffix, prefix.length + bytes)
  return block
}

export type BlockFinder = {
  isStored(hash: Uint8Array): boolean
  placeOf(hash: Uint8Array): BlockPlace | null
  /** Unverified bytes; null: not stored. Throws if they cannot be read. */
  find(hash: Uint8Array): Uint8Array | null
  /** The same, after reading the index again. */
  findAgain(hash: Uint8Array): Uint8Array | null
  /** The same for a copy in quarantine. */
  findQuarantined(hash: Uint8Array): Uint8Array | null
}

export function createBlockFinder(parts: {
  readonly db: Database
  readonly pending: PendingBlocks
  readonly places: RecentPlaces
  readonly files: OpenFiles
}): BlockFinder {
  const { db, pending, places, files } = parts
  const allocate = createSlabAllocator()

  const placeOf = (hash: Uint8Array): BlockPlace | null => pending.find(hash) ?? findPlace(db, hash)

  /** Null: the block is no longer at this place. */
  function readAt(hash: Uint8Array, place: BlockPlace): Uint8Array | null {
    try {
      const bytes = readBlock(files, place, allocate)
      if (bytes.length === place.size) return bytes
    } catch {
      // The index has the current place, or reports that it cannot be read either.
    }
    places.forget(hash)
    return null
  }

  return {
    isStored: (hash) => pending.has(hash) || hasBlock(db, hash),
    placeOf,
    find(hash) {
      const recent = places.find(hash)
      const found = recent === null ? null : readAt(hash, recent)
      if (found !== null) return found
      const place = placeOf(hash)
      if (place === null) return null
      const bytes = readBlock(files, place, allocate)
      places.note(hash, place)
      return bytes
    },
    findAgain(hash) {
      places.forget(hash)
      db.forgetPages()
      const place = placeOf(hash)
      return place === null ? null : readBlock(files, place)
    },
    findQuarantined(hash) {
      // The row of the new copy is still pending.
      if (pending.has(hash)) return null
      const place = findQuarantinedPlace(db, hash)
      return place === null ? null : readBlock(files, place)
    },
  }
}
