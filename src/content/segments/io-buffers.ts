// Buffers for read-ahead and for file bytes on their way to disk: aligned for O_DIRECT, and shared with the hash
// thread. Each pool is one allocation, of which the system commits only the used part.
// Tested by src/content/segments/segment-files.test.ts

const pageBytes = 65_536

/** Not among the types of Node. Its memory starts at a page of the system. */
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number; maximum: number; shared: boolean }) => {
        readonly buffer: SharedArrayBuffer
      }
    }
  }
).WebAssembly

/** `count` arrays of `bytes`, a multiple of 64 KiB, side by side. */
function alignedMemory(count: number, bytes: number): Uint8Array[] {
  const pages = (count * bytes) / pageBytes
  const { buffer } = new Memory({ initial: pages, maximum: pages, shared: true })
  return Array.from({ length: count }, (_, index) => new Uint8Array(buffer, index * bytes, bytes))
}

export const readBytes = 1024 * 1024

export type ReadBuffers = {
  /** Null: all are out. */
  take(): Uint8Array | null
  give(buffer: Uint8Array): void
  /** Two thirds of them and more. */
  readonly mostAreFree: boolean
  readonly out: number
}

/** For all reads ahead together. A reader that gets none takes memory of its own for one piece at a time. */
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

export const writeBufferBytes = 4 * 1024 * 1024

export type WriteBufferPool = {
  /** A slot, or null when all are out. */
  take(): Uint8Array | null
  /** The next slot that comes back; first come, first served. */
  wait(): Promise<Uint8Array>
  give(slot: Uint8Array): void
  /** How many are out. */
  readonly out: number
}

/** `slots`: how many there are; each is given back before the work that took it ends. */
export function createWriteBufferPool(slots: number): WriteBufferPool {
  let made: Uint8Array[] | null = null
  // The last one given back is taken first: it is in the cache, and the others stay untouched.
  const free = {
    pop: () => (made ??= alignedMemory(slots, writeBufferBytes).toReversed()).pop(),
    push: (slot: Uint8Array) => void made?.push(slot),
  }
  const waiting: ((slot: Uint8Array) => void)[] = []
  let out = 0

  return {
    take() {
      const slot = waiting.length > 0 ? undefined : free.pop()
      if (slot === undefined) return null
      out += 1
      return slot
    },
    wait: () =>
      new Promise((resolve) => {
        const slot = free.pop()
        if (slot === undefined) waiting.push(resolve)
        else {
          out += 1
          resolve(slot)
        }
      }),
    give(slot) {
      const next = waiting.shift()
      if (next !== undefined) return next(slot)
      out -= 1
      free.push(slot)
    },
    get out() {
      return out
    },
  }
}
