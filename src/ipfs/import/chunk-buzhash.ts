// The buzhash chunker: a cyclic polynomial over the last 32 bytes ends a chunk where its low 17 bits are zero.
// Tested by src/ipfs/import/chunk.test.ts
import type { BoundaryFinder } from './boundary-finder.ts'
import { byteHashes } from './chunk-buzhash-table.ts'

/** Bytes of a chunk that is not the last. */
export const buzhashBounds = { min: 128 * 1024, max: 512 * 1024 } as const

const windowBytes = 32
const mask = 2 ** 17 - 1

export function createBuzhash(): BoundaryFinder {
  const { min, max } = buzhashBounds
  const window = new Uint8Array(windowBytes)
  let state = 0
  let count = 0

  return {
    find(bytes) {
      // The state is of the 32 bytes before a place: what comes before `min - 32` is not looked at.
      let at = Math.max(0, Math.min(min - windowBytes - count, bytes.length))
      count += at
      for (; at < bytes.length; at += 1) {
        if (count >= min && ((state & mask) === 0 || count >= max)) {
          state = 0
          count = 0
          return at
        }
        const byte = bytes[at] as number
        const place = count % windowBytes
        state = (state << 1) | (state >>> 31)
        // A rotation by 32 places is none: what leaves goes out as it came in.
        if (count >= min) state ^= byteHashes[window[place] as number] as number
        state ^= byteHashes[byte] as number
        window[place] = byte
        count += 1
      }
      return null
    },
  }
}
