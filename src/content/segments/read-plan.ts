// Plans the reads for a run of blocks: adjacent blocks of one file are read together, up to one buffer.
import type { BlockPlace } from '../../tables/blocks.ts'

/** One read: `at` to `at + bytes` of `file`, and where in it each piece starts. Null pieces are not here. */
export type PlannedRead = {
  readonly file: number
  readonly at: number
  readonly bytes: number
  readonly pieces: readonly PlannedPiece[]
}

export type PlannedPiece = { readonly from: number; readonly place: BlockPlace } | null

/** Bytes between two pieces that are read along: the head of a record. */
const gapMax = 512

/**
 * The reads for `places` in their order. `bytesMax`: of one read, unless a single block is larger. A read without a
 * file consists of nulls only.
 */
export function planReads(places: readonly (BlockPlace | null)[], bytesMax: number): PlannedRead[] {
  const reads: PlannedRead[] = []
  let pieces: PlannedPiece[] = []
  let file = 0
  let at = 0
  let end = 0

  function close(): void {
    if (pieces.length > 0) reads.push({ file, at, bytes: end - at, pieces })
    pieces = []
    file = 0
    at = 0
    end = 0
  }

  for (const place of places) {
    if (place === null) {
      pieces.push(null)
      continue
    }
    const joins =
      file === 0 ||
      (place.file === file &&
        place.at >= end &&
        place.at - end <= gapMax &&
        place.at + place.bytes - at <= bytesMax)
    if (!joins) close()
    if (file === 0) {
      file = place.file
      at = place.at
    }
    pieces.push({ from: place.at - at, place })
    end = place.at + place.bytes
  }
  close()
  return reads
}
