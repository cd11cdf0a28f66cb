// Finds blocks by name: locations from the cache, from pending rows, and from the index; and their bytes.
// Tested by src/content/segments/segment-store.test.ts
import type { Database } from '../../db/sqlite.ts'
import { findPlace, findQuarantinedPlace, hasBlock, type BlockPlace } from '../../tables/blocks.ts'
import { readBlock, createSlabAllocator } from './block-reader.ts'
import type { OpenFiles } from './open-files.ts'
import type { PendingBlocks } from './pending-blocks.ts'
import type { RecentPlaces } from './recent-places.ts'

export type BlockFinder = {
  isHere(hash: Uint8Array): boolean
  placeOf(hash: Uint8Array): BlockPlace | null
  /** Not verified; null: it is not here. Throws when it cannot be read. */
  find(hash: Uint8Array): Uint8Array | null
  /** The same after a new read of the index. */
  findAgain(hash: Uint8Array): Uint8Array | null
  /** The same of a copy in quarantine. */
  findQuarantined(hash: Uint8Array): Uint8Array | null
}

export function createBlockFinder(parts: {
  readonly db: Database
  readonly pending: PendingBlocks
  readonly places: RecentPlaces
  readonly files: OpenFiles
}): BlockFinder {
  const { db, pending, places, files } = parts
  const room = createSlabAllocator()

  const placeOf = (hash: Uint8Array): BlockPlace | null => pending.find(hash) ?? findPlace(db, hash)

  /** Null: it is no longer where it was. */
  function readAt(hash: Uint8Array, place: BlockPlace): Uint8Array | null {
    try {
      const bytes = readBlock(files, place, room)
      if (bytes.length === place.size) return bytes
    } catch {
      // The index knows better, and whether that place cannot be read either.
    }
    places.forget(hash)
    return null
  }

  return {
    isHere: (hash) => pending.has(hash) || hasBlock(db, hash),
    placeOf,
    find(hash) {
      const recent = places.find(hash)
      const found = recent === null ? null : readAt(hash, recent)
      if (found !== null) return found
      const place = placeOf(hash)
      if (place === null) return null
      const bytes = readBlock(files, place, room)
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
      // The new copy has its row later.
      if (pending.has(hash)) return null
      const place = findQuarantinedPlace(db, hash)
      return place === null ? null : readBlock(files, place)
    },
  }
}
