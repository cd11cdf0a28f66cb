// Who waits for a block that is not here is woken when this process commits one. Bounded in waiters.
// Tested by src/ipfs/files.test.ts
import { Fault } from '../../base/fault.ts'
import type { ContentRef } from '../../content/ref.ts'

export interface Waiters {
  /** Calls `wake` once when `ref` is here. The returned function leaves. Throws `overloaded` past the limit. */
  wait(ref: ContentRef, wake: () => void): () => void
  /** Something was committed: wakes those whose block is here now. */
  announce(): void
}

/** `has`: whether the store has the block now. */
export function createWaiters(has: (ref: ContentRef) => boolean, waitersMax: number): Waiters {
  const waiting = new Set<{ readonly ref: ContentRef; readonly wake: () => void }>()
  return {
    wait(ref, wake) {
      if (waiting.size >= waitersMax) throw new Fault('overloaded')
      const waiter = { ref, wake }
      waiting.add(waiter)
      return () => void waiting.delete(waiter)
    },
    announce() {
      for (const waiter of waiting) {
        if (!has(waiter.ref)) continue
        waiting.delete(waiter)
        waiter.wake()
      }
    },
  }
}
