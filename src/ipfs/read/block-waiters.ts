// Wakes reads that wait for a missing block when this process commits it. The number of waiting reads is limited.
// Tested by src/ipfs/files.test.ts
import { Fault } from '../../base/fault.ts'
import type { ContentRef } from '../../content/ref.ts'

export interface Waiters {
  /** Number of commits: read before a lookup whose miss leads to `wait`. */
  readonly commits: number
  /**
   * Calls `wake` once when `ref` is stored. `seen`: `commits` before the lookup, so that a block committed during the lookup is
   * found. The returned function removes the waiter. Throws `overloaded` past the limit.
   */
  wait(ref: ContentRef, wake: () => void, seen: number): () => void
  /** Call after a commit: wakes the waiters whose block is now stored. */
  announce(): void
}

/** `has`: whether the store has the block. A failed lookup wakes no reader: readers look again after some seconds. */
export function createWaiters(
  has: (ref: ContentRef) => Promise<boolean>,
  waitersMax: number,
): Waiters {
  type Waiter = { readonly ref: ContentRef; readonly wake: () => void }
  const pending = new Set<Waiter>()
  let looking = false
  let announced = false
  let commits = 0

  async function wakeIfStored(waiter: Waiter): Promise<void> {
    const isStored = await has(waiter.ref).catch(() => false)
    // The waiter may have left in the meantime.
    if (isStored && pending.delete(waiter)) waiter.wake()
  }

  /** Runs one lookup at a time; blocks that are committed during it require another one. */
  async function look(): Promise<void> {
    if (looking) return
    looking = true
    while (announced) {
      announced = false
      await Promise.all(Array.from(pending, wakeIfStored))
    }
    looking = false
  }

  return {
    get commits() {
      return commits
    },
    wait(ref, wake, seen) {
      if (pending.size >= waitersMax) throw new Fault('overloaded')
      const waiter = { ref, wake }
      pending.add(waiter)
      if (commits !== seen) void wakeIfStored(waiter)
      return () => void pending.delete(waiter)
    },
    announce() {
      commits += 1
      if (pending.size === 0) return
      announced = true
      void look()
    },
  }
}
