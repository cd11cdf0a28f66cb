// Content of large files, generated on read from a ring of random bytes. Each 256 KiB chunk contains its number, so that all blocks
// of all files differ.
import { randomFillSync } from 'node:crypto'

const blockBytes = 256 * 1024

export type FileBytes = {
  readonly bytes: number
  /** From `at`, at most `max` bytes and at most to the end of a chunk. Valid until half a ring more is read. */
  slice(at: number, max: number): Buffer
}

export type FileRing = { open(number: number, bytes: number): FileBytes }

/** Files of one ring, read one at a time. `open(n, bytes)` always returns the same file for the same n. */
export function createFileRing(ringBytes = 64 * 1024 * 1024): FileRing {
  const ring = randomFillSync(Buffer.allocUnsafeSlow(ringBytes))
  return {
    open: (number, bytes) => ({
      bytes,
      slice(at, max) {
        const block = Math.floor(at / blockBytes)
        const start = (block * blockBytes) % ringBytes
        ring.writeUInt32LE(number, start)
        ring.writeUInt32LE(block, start + 4)
        const within = at % blockBytes
        const length = Math.min(max, blockBytes - within, bytes - at)
        return ring.subarray(start + within, start + within + length)
      },
    }),
  }
}
