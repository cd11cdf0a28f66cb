// How many of something each of several may hold at once, so that one cannot take what is there for all.
// Tested by src/admin/http/admin-handler.test.ts

export type KeyedSemaphore = {
  /** False, and nothing taken, when `holder` has as many as one may. */
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
