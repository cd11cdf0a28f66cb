// Buffers that reads ahead fill, 1 MiB each and so many for all streams together. Who gets none takes memory of
// its own for one piece at a time.
// Tested by src/content/segments/segment-files.test.ts

export const readBytes = 1024 * 1024

export type ReadBuffers = {
  /** Null: all are out. */
  take(): Uint8Array | null
  give(buffer: Uint8Array): void
  readonly out: number
}

export function createReadBuffers(buffersMax: number): ReadBuffers {
  const free: Uint8Array[] = []
  let out = 0
  return {
    take() {
      if (out >= buffersMax) return null
      out += 1
      return free.pop() ?? Buffer.allocUnsafeSlow(readBytes)
    },
    give(buffer) {
      out -= 1
      free.push(buffer)
    },
    get out() {
      return out
    },
  }
}
