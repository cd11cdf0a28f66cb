// Items of a reply that no caller has requested yet: one account proof contains the whole path. They wait here,
// bounded, and are stored only when they are requested by name. Otherwise a source could fill the store with
// arbitrary self-consistent data.
import { refKey, type ContentRef, type UnverifiedItem } from './ref.ts'

/** `proved`: its name was computed from its bytes in this process. */
type UnrequestedItem = UnverifiedItem & { readonly source: string; readonly proved: boolean }

export type UnrequestedItems = {
  add(source: string, items: readonly UnverifiedItem[], proved?: boolean): void
  /** Takes it out: one that turns out wrong is gone. */
  take(ref: ContentRef): UnrequestedItem | null
}

/** The oldest leave first when `itemsMax` or `bytesMax` is reached. */
export function createUnrequestedItems(limits: {
  readonly itemsMax: number
  readonly bytesMax: number
}): UnrequestedItems {
  const waiting = new Map<string, UnrequestedItem>()
  let bytesWaiting = 0

  function remove(key: string): UnrequestedItem | null {
    const unrequestedItem = waiting.get(key)
    if (unrequestedItem === undefined) return null
    waiting.delete(key)
    bytesWaiting -= unrequestedItem.bytes.length
    return unrequestedItem
  }

  return {
    add(source, items, proved = false) {
      for (const { ref, bytes } of items.slice(0, limits.itemsMax)) {
        if (bytes.length > limits.bytesMax) continue
        const key = refKey(ref)
        remove(key)
        waiting.set(key, { ref, bytes, source, proved })
        bytesWaiting += bytes.length
        for (const oldest of waiting.keys()) {
          if (waiting.size <= limits.itemsMax && bytesWaiting <= limits.bytesMax) break
          remove(oldest)
        }
      }
    },
    take: (ref) => remove(refKey(ref)),
  }
}
