// Who waits for a block that is not here is woken when this process commits one. Bounded in waiters.
// Tested by src/ipfs/files.test.ts
import { Fault } from '../base/fault.ts'
import type { ContentRef } from '../content/ref.ts'

export interface Arrivals {
  /** Calls `wake` once when `ref` is here. The returned function leaves. Throws `overloaded` past the limit. */
  wait(ref: ContentRef, wake: () => void): () => void
  /** Something was committed: wakes those whose block is here now. */
  announce(): void
}

/** `has`: whether the store has the block now. */
export function createArrivals(has: (ref: ContentRef) => boolean, waitersMax: number): Arrivals {
  const waiters = new Set<{ readonly ref: ContentRef; readonly wake: () => void }>()
  return {
    wait(ref, wake) {
      if (waiters.size >= waitersMax) throw new Fault('overloaded')
      const waiter = { ref, wake }
      waiters.add(waiter)
      return () => void waiters.delete(waiter)
    },
    announce() {
      for (const waiter of waiters) {
        if (!has(waiter.ref)) continue
        waiters.delete(waiter)
        waiter.wake()
      }
    },
  }
}
