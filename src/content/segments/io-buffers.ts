// Buffers for read-ahead and for file bytes being written: aligned for O_DIRECT, and shared with the hash thread. Each pool is one
// allocation, of which the system commits only the used part.
// Tested by src/content/segments/segment-files.test.ts

const pageBytes = 65_536

/** Not among Node's types. Its memory is page-aligned. */
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number; maximum: number; shared: boolean }) => {
        readonly buffer: SharedArrayBuffer
      }
    }
  }
).WebAssembly

/** `count` adjacent arrays of `bytes`, a multiple of 64 KiB. */
function alignedMemory(count: number, bytes: number): Uint8Array[] {
  const pages = (count * bytes) / pageBytes
  const { buffer } = new Memory({ initial: pages, maximum: pages, shared: true })
  return Array.from({ length: count }, (_, index) => new Uint8Array(buffer, index * bytes, bytes))
}

export const readBytes = 1024 * 1024

export type ReadBuffers = {
  /** Null: all buffers are in use. */
  acquire(): Uint8Array | null
  release(buffer: Uint8Array): void
  /** Whether at least two thirds of the buffers are free. */
  readonly mostAreFree: boolean
  readonly inUse: number
}

/** Shared by all reads ahead. A reader without a buffer allocates memory for one piece at a time. */
export function createReadBuffers(buffersMax: number): ReadBuffers {
  /** Allocated at the first read. The buffer returned last is used first, so that the others stay untouched. */
  let buffers: Uint8Array[] | null = null
  let inUse = 0
  return {
    acquire() {
      buffers ??= alignedMemory(buffersMax, readBytes).toReversed()
      const buffer = buffers.pop()
      if (buffer === undefined) return null
      inUse += 1
      return buffer
    },
    release(buffer) {
      inUse -= 1
      buffers?.push(buffer)
    },
    get mostAreFree() {
      return inUse * 3 < buffersMax
    },
    get inUse() {
      return inUse
    },
  }
}

export const writeBufferBytes = 4 * 1024 * 1024

export type WriteBufferPool = {
  /** A slot, or null if all are in use. */
  acquire(): Uint8Array | null
  /** The next slot that is returned, in the order of calls. */
  wait(): Promise<Uint8Array>
  release(slot: Uint8Array): void
  /** Number of slots in use. */
  readonly inUse: number
}

/** `slots`: number of slots; each is returned before the work that took it ends. */
export function createWriteBufferPool(slots: number): WriteBufferPool {
  let buffers: Uint8Array[] | null = null
  // The slot returned last is used first: it is in the CPU cache, and the others stay untouched.
  const free = {
    pop: () => (buffers ??= alignedMemory(slots, writeBufferBytes).toReversed()).pop(),
    push: (slot: Uint8Array) => void buffers?.push(slot),
  }
  const waiters: ((slot: Uint8Array) => void)[] = []
  let inUse = 0

  return {
    acquire() {
      const slot = waiters.length > 0 ? undefined : free.pop()
      if (slot === undefined) return null
      inUse += 1
      return slot
    },
    wait: () =>
      new Promise((resolve) => {
        const slot = free.pop()
        if (slot === undefined) waiters.push(resolve)
        else {
          inUse += 1
          resolve(slot)
        }
      }),
    release(slot) {
      const next = waiters.shift()
      if (next !== undefined) return next(slot)
      inUse -= 1
      free.push(slot)
    },
    get inUse() {
      return inUse
    },
  }
}
