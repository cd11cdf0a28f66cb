// Limits concurrent work of each holder, such as a person or an account, so that none of them takes all places.
// Tested by src/admin/http/admin-handler.test.ts, src/kubo/commands/network/network-commands.test.ts

export type KeyedSemaphore = {
  /** Returns false without effect if `holder` has reached the limit. */
  acquire(holder: string): boolean
  /** Releases one successful `acquire`. */
  release(holder: string): void
}

/** At most `most` per holder. The last release deletes the holder's entry. */
export function createKeyedSemaphore(most: number): KeyedSemaphore {
  const counts = new Map<string, number>()
  return {
    acquire(holder) {
      const count = counts.get(holder) ?? 0
      if (count >= most) return false
      counts.set(holder, count + 1)
      return true
    },
    release(holder) {
      const left = (counts.get(holder) ?? 1) - 1
      if (left === 0) counts.delete(holder)
      else counts.set(holder, left)
    },
  }
}
