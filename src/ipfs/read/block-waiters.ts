// Who waits for a block that is not here is woken when this process commits one. Bounded in waiters.
// Tested by src/ipfs/files.test.ts
import { Fault } from '../../base/fault.ts'
import type { ContentRef } from '../../content/ref.ts'

export interface Waiters {
  /** How often something was committed: read before a lookup whose miss leads to `wait`. */
  readonly commits: number
  /**
   * Calls `wake` once when `ref` is here. `seen`: `commits` before the lookup, so that a block that was committed during
   * it is found. The returned function leaves. Throws `overloaded` past the limit.
   */
  wait(ref: ContentRef, wake: () => void, seen: number): () => void
  /** Something was committed: wakes those whose block is here now. */
  announce(): void
}

/** `has`: whether the store has the block. A lookup that fails wakes no one: readers look again after some seconds. */
export function createWaiters(
  has: (ref: ContentRef) => Promise<boolean>,
  waitersMax: number,
): Waiters {
  type Waiter = { readonly ref: ContentRef; readonly wake: () => void }
  const waiting = new Set<Waiter>()
  let looking = false
  let announced = false
  let commits = 0

  async function wakeIfHere(waiter: Waiter): Promise<void> {
    const isHere = await has(waiter.ref).catch(() => false)
    // It may have left meanwhile.
    if (isHere && waiting.delete(waiter)) waiter.wake()
  }

  /** One look at a time; blocks that are committed during it need another. */
  async function look(): Promise<void> {
    if (looking) return
    looking = true
    while (announced) {
      announced = false
      await Promise.all(Array.from(waiting, wakeIfHere))
    }
    looking = false
  }

  return {
    get commits() {
      return commits
    },
    wait(ref, wake, seen) {
      if (waiting.size >= waitersMax) throw new Fault('overloaded')
      const waiter = { ref, wake }
      waiting.add(waiter)
      if (commits !== seen) void wakeIfHere(waiter)
      return () => void waiting.delete(waiter)
    },
    announce() {
      commits += 1
      if (waiting.size === 0) return
      announced = true
      void look()
    },
  }
}
