// Counting semaphore per key, so that one holder cannot use the whole capacity.
// Tested by src/admin/http/admin-handler.test.ts

export type KeyedSemaphore = {
  /** Returns false, without effect, if `holder` has reached the limit. */
  acquire(holder: string): boolean
  /** One that was taken. */
  release(holder: string): void
}

/** Holders are forgotten with the last they give back. */
export function createKeyedSemaphore(most: number): KeyedSemaphore {
  const held = new Map<string, number>()
  return {
    acquire(holder) {
      const count = held.get(holder) ?? 0
      if (count >= most) return false
      held.set(holder, count + 1)
      return true
    },
    release(holder) {
      const left = (held.get(holder) ?? 1) - 1
      if (left === 0) held.delete(holder)
      else held.set(holder, left)
    },
  }
}
