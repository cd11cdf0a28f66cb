// The slots that bytes of files pass on their way to disk: 4 MiB each, at addresses that O_DIRECT takes, all of
// them in one piece of memory that is touched only as far as it is needed. Who finds none waits in a queue.
// Tested by src/content/segments/segment-files.test.ts
import { alignedMemory } from './aligned-memory.ts'

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
