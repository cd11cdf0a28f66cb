// Buffers for the parts of multipart uploads: their number limits the memory of all uploads together.
// Tested by test/suites/object-store.suite.ts

export type PartBuffers = {
  /** The next free buffer, in the order of calls. */
  acquire(): Promise<Uint8Array>
  release(buffer: Uint8Array): void
}

/** `count` buffers of `bytes`, allocated at first use, in memory that the hash thread can read. */
export function createPartBuffers(count: number, bytes: number): PartBuffers {
  const free: Uint8Array[] = []
  const waiters: ((buffer: Uint8Array) => void)[] = []
  let allocated = 0
  return {
    async acquire() {
      const buffer = free.pop()
      if (buffer !== undefined) return buffer
      if (allocated < count) {
        allocated += 1
        return Buffer.from(new SharedArrayBuffer(bytes))
      }
      return await new Promise((resolve) => waiters.push(resolve))
    },
    release(buffer) {
      const next = waiters.shift()
      if (next === undefined) free.push(buffer)
      else next(buffer)
    },
  }
}
