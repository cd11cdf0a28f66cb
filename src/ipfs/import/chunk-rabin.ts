// The rabin chunker: a rolling fingerprint over the last 16 bytes, modulo a polynomial over GF(2), ends a chunk
// where its low bits are zero. Kubo's polynomial; another one would give other CIDs.
// Tested by src/ipfs/import/chunk.test.ts
import type { BoundaryFinder } from './boundary-finder.ts'

/** Bytes of a chunk: at least `min` (16 or more), about `average`, at most `max`. */
export type RabinBounds = { readonly min: number; readonly average: number; readonly max: number }

const polynomial = 17_437_180_132_763_653n
const degree = 53n
const windowBytes = 16

// Fingerprints have 53 bits. They are kept as two halves of 32, as numbers of JavaScript have no 64-bit shifts.
type Table = { readonly high: Uint32Array; readonly low: Uint32Array }

export function createRabin({ min, average, max }: RabinBounds): BoundaryFinder {
  const leaving = tableOf((byte) => remainder(BigInt(byte) << BigInt((windowBytes - 1) * 8)))
  const wrapping = tableOf((byte) => {
    const high = BigInt(byte) << degree
    return remainder(high) | high
  })
  const mask = 2 ** Math.floor(Math.log2(average)) - 1
  const window = new Uint8Array(windowBytes)
  let high = 0
  let low = 0
  let oldest = 0
  let count = 0
  let unseen = 0
  start()

  function start(): void {
    window.fill(0)
    high = 0
    low = 0
    oldest = 0
    count = 0
    unseen = min - windowBytes
    slide(1)
  }

  function slide(byte: number): void {
    const out = window[oldest] as number
    window[oldest] = byte
    oldest = (oldest + 1) % windowBytes
    high ^= leaving.high[out] as number
    low ^= leaving.low[out] as number
    const index = (high >>> 13) & 0xff
    high = ((high << 8) | (low >>> 24)) ^ (wrapping.high[index] as number)
    low = ((low << 8) | byte) ^ (wrapping.low[index] as number)
  }

  return {
    find(bytes) {
      // No chunk ends before `min`, so only the window before it needs to be seen.
      let at = Math.min(unseen, bytes.length)
      unseen -= at
      count += at
      while (at < bytes.length) {
        slide(bytes[at] as number)
        at += 1
        count += 1
        if (count >= min && ((low & mask) === 0 || count >= max)) {
          start()
          return at
        }
      }
      return null
    },
  }
}

function tableOf(entry: (byte: number) => bigint): Table {
  const high = new Uint32Array(256)
  const low = new Uint32Array(256)
  for (let byte = 0; byte < 256; byte += 1) {
    const value = entry(byte)
    high[byte] = Number(value >> 32n)
    low[byte] = Number(value & 0xffff_ffffn)
  }
  return { high, low }
}

/** Of the polynomial whose coefficients are the bits of `value`. */
function remainder(value: bigint): bigint {
  let rest = value
  for (let length = bitLength(rest); length > degree; length = bitLength(rest)) {
    rest ^= polynomial << (length - 1n - degree)
  }
  return rest
}

function bitLength(value: bigint): bigint {
  return BigInt(value === 0n ? 0 : value.toString(2).length)
}
