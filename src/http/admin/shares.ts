// How many of something each of several may hold at once, so that one cannot take what is there for all.
// Tested by src/http/admin/admin-face.test.ts

export type Shares = {
  /** False, and nothing taken, when `holder` has as many as one may. */
  take(holder: string): boolean
  /** One that was taken. */
  giveBack(holder: string): void
}

/** Holders are forgotten with the last they give back. */
export function createShares(most: number): Shares {
  const held = new Map<string, number>()
  return {
    take(holder) {
      const count = held.get(holder) ?? 0
      if (count >= most) return false
      held.set(holder, count + 1)
      return true
    },
    giveBack(holder) {
      const left = (held.get(holder) ?? 1) - 1
      if (left === 0) held.delete(holder)
      else held.set(holder, left)
    },
  }
}
