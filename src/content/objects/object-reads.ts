// Reads blocks from objects: finds their places in memory or the database, and their bytes by range requests. If the object of a
// place is gone, the place is looked up once more, because the block was moved.
// Tested by src/content/objects/object-reads.test.ts, test/suites/block-store.suite.ts
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { joinBytes } from '../../codec/ipld/protobuf.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import { type BlockPlace, type BlockRow, dagPbLeaf } from '../../tables/blocks.ts'
import { findPlaces, findQuarantinedBlock } from '../../tables/objects/object-blocks.ts'
import type { ReadBatch } from '../block-store.ts'
import { storedBytesMax } from '../segments/find-blocks.ts'
import type { RecentPlaces } from '../segments/recent-places.ts'
import { type PlannedRead, planReads } from '../segments/run-reader.ts'
import { ObjectNotFound } from './object-store.ts'
import { type RangeReader, chunkBytes, requestChunksMax } from './range-cache.ts'

export type ObjectReads = {
  /** Looked up in the database; null: not stored, or in quarantine. */
  placeOf(hash: Uint8Array): Promise<BlockPlace | null>
  /** The whole block, not verified. `again`: past all caches. Throws as `ObjectStore.read`. */
  find(hash: Uint8Array, again: boolean): Promise<Uint8Array | null>
  findQuarantined(hash: Uint8Array): Promise<Uint8Array | null>
  /** As `BlockStore.read`. */
  read(hashes: readonly Uint8Array[], signal: AbortSignal): AsyncGenerator<ReadBatch>
  /** The bytes exactly as stored. */
  readPlace(place: BlockPlace, signal: AbortSignal, again: boolean): Promise<Uint8Array>
}

/** Blocks that a sequential read looks up together: first few, so that its first bytes come soon. */
const lookFirst = 4
const lookAhead = 64
/** Its concurrent requests. */
const readsAhead = 4
/** Sequential reads with requests of 4 MiB, which cost less processor time: 24 MiB of memory each with the groups read, 96 MiB. */
const wideReadsMax = 4
const wideBytes = requestChunksMax * chunkBytes

export function createObjectReads(parts: {
  readonly rows: Rows
  readonly ranges: RangeReader
  readonly places: RecentPlaces
}): ObjectReads {
  const { rows, ranges, places } = parts
  const never = new AbortController().signal
  let wideReads = 0

  async function placeOf(hash: Uint8Array): Promise<BlockPlace | null> {
    const row = await rows.first(findPlaces([hash]))
    if (row === null) places.forget(hash)
    else places.note(hash, row)
    return row
  }

  async function readPlace(
    { file, at, bytes }: BlockPlace,
    signal: AbortSignal,
    again: boolean,
  ): Promise<Uint8Array> {
    // A corrupt row results in bytes that fail verification, never in an unbounded buffer.
    if (!(at >= 0 && bytes >= 0 && bytes <= storedBytesMax)) return new Uint8Array(0)
    return await ranges.read(file, at, bytes, signal, again)
  }

  async function readWhole(place: BlockPlace, again = false): Promise<Uint8Array> {
    const data = await readPlace(place, never, again)
    // Copied, because a view would keep the bytes around it in memory.
    if (place.form !== dagPbLeaf) return new Uint8Array(data)
    return joinBytes([leafPrefix(data.length), data, leafSuffix(data.length)])
  }

  /** The places of these hashes, in order. */
  async function placesOf(hashes: readonly Uint8Array[]): Promise<readonly (BlockPlace | null)[]> {
    const unknown = hashes.filter((hash) => !places.has(hash))
    const found = new Map<string, BlockRow>()
    if (unknown.length > 0) {
      for (const row of await rows.find(findPlaces(unknown))) {
        found.set(toLatin1(row.hash), row)
        places.note(row.hash, row)
      }
    }
    return hashes.map((hash) => found.get(toLatin1(hash)) ?? places.find(hash))
  }

  /** Null for pieces that cannot be read; the caller reads them separately. */
  async function readPlan(plan: PlannedRead, signal: AbortSignal): Promise<ReadBatch> {
    if (plan.file === 0) return plan.pieces.map(() => null)
    try {
      const { file, at, bytes } = plan
      const parts = await ranges.readParts(file, at, bytes, signal)
      return plan.pieces.map((piece) => {
        if (piece === null) return null
        const { from, place } = piece
        return { data: cutFrom(parts, from, place.bytes), leaf: place.form === dagPbLeaf }
      })
    } catch {
      signal.throwIfAborted()
      return plan.pieces.map(() => null)
    }
  }

  return {
    placeOf,
    readPlace,
    async find(hash, again) {
      const recent = again ? null : places.find(hash)
      if (recent !== null) {
        try {
          return await readWhole(recent)
        } catch (error) {
          if (!(error instanceof ObjectNotFound)) throw error
          // The block was moved, or deleted long ago: the row decides.
        }
      }
      const place = await placeOf(hash)
      return place === null ? null : await readWhole(place, again)
    },
    async findQuarantined(hash) {
      const place = await rows.first(findQuarantinedBlock(hash))
      return place === null ? null : await readWhole(place, true)
    },
    async *read(hashes, signal) {
      const plans: PlannedRead[] = []
      const running: Promise<ReadBatch>[] = []
      let looked = 0
      const isWide = wideReads < wideReadsMax

      async function begin(): Promise<boolean> {
        if (plans.length === 0 && looked < hashes.length) {
          const some = hashes.slice(looked, looked + (looked === 0 ? lookFirst : lookAhead))
          looked += some.length
          const found = await placesOf(some)
          const bytesMax = isWide ? wideBytes : chunkBytes
          plans.push(...planReads(found.map(boundedPlace), bytesMax))
        }
        const plan = plans.shift()
        if (plan === undefined) return false
        const work = readPlan(plan, signal)
        // The error is thrown when the read is requested.
        work.catch(() => undefined)
        running.push(work)
        return true
      }

      if (isWide) wideReads += 1
      try {
        for (;;) {
          signal.throwIfAborted()
          while (running.length < readsAhead && (await begin()));
          const next = await running.shift()
          signal.throwIfAborted()
          if (next === undefined) return
          yield next
        }
      } finally {
        if (isWide) wideReads -= 1
      }
    },
  }
}

function boundedPlace(place: BlockPlace | null): BlockPlace | null {
  if (place === null) return null
  return place.at >= 0 && place.bytes >= 0 && place.bytes <= storedBytesMax ? place : null
}

/** A view if one part has all of it, else a copy. */
function cutFrom(parts: readonly Uint8Array[], from: number, bytes: number): Uint8Array {
  const pieces: Uint8Array[] = []
  let start = 0
  for (const part of parts) {
    const end = start + part.length
    if (end > from && start < from + bytes) {
      pieces.push(part.subarray(Math.max(0, from - start), from + bytes - start))
    }
    start = end
  }
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}
