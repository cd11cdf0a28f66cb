// Reproducible random numbers and bytes, determined by a seed.
import { createCipheriv, hash } from 'node:crypto'

/** Returns an integer from 0 up to, but not including, `limit`. */
export type Random = (limit: number) => number

/** Mulberry32 generator. */
export function seeded(from: number): Random {
  let state = from >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** Incompressible bytes: an AES key stream, as fast as memory. */
export function noise(seed: string, bytes: number): Buffer {
  const key = hash('sha256', seed, 'buffer').subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes))
}
