// Buffers that reads ahead fill, 1 MiB each and so many for all streams together. Who gets none takes memory of
// its own for one piece at a time. They lie where reads past the cache of the system want them.
// Tested by src/content/segments/segment-files.test.ts
import { alignedMemory } from './aligned-memory.ts'

export const readBytes = 1024 * 1024

export type ReadBuffers = {
  /** Null: all are out. */
  take(): Uint8Array | null
  give(buffer: Uint8Array): void
  /** Two thirds of them and more. */
  readonly mostAreFree: boolean
  readonly out: number
}

export function createReadBuffers(buffersMax: number): ReadBuffers {
  /** Made at the first read. The last one given back is taken first, and the others stay untouched. */
  let made: Uint8Array[] | null = null
  let out = 0
  return {
    take() {
      made ??= alignedMemory(buffersMax, readBytes).toReversed()
      const buffer = made.pop()
      if (buffer === undefined) return null
      out += 1
      return buffer
    },
    give(buffer) {
      out -= 1
      made?.push(buffer)
    },
    get mostAreFree() {
      return out * 3 < buffersMax
    },
    get out() {
      return out
    },
  }
}
