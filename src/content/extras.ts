// Items a source brought that nobody asked for yet: one account proof brings the whole path. They wait here,
// bounded, until they are asked for by name; only then are they kept, else a source could fill the store with
// junk that hashes to itself.
import { createEndings } from './endings.ts'
import { refKey, type ContentRef, type Item } from './ref.ts'

/** `proved`: its name was computed from its bytes in this process. */
type Extra = Item & { readonly source: string; readonly proved: boolean }

export type Extras = {
  add(source: string, items: readonly Item[], proved?: boolean): void
  /** Takes it out: one that turns out wrong is gone. */
  take(ref: ContentRef): Extra | null
}

/** The oldest leave first when `itemsMax` or `bytesMax` is reached. */
export function createExtras(limits: {
  readonly itemsMax: number
  readonly bytesMax: number
}): Extras {
  const waiting = new Map<string, Extra>()
  const endings = createEndings()
  let bytesWaiting = 0

  function remove(key: string): Extra | null {
    const extra = waiting.get(key)
    if (extra === undefined) return null
    waiting.delete(key)
    endings.remove(extra.ref)
    bytesWaiting -= extra.bytes.length
    return extra
  }

  return {
    add(source, items, proved = false) {
      for (const { ref, bytes } of items.slice(0, limits.itemsMax)) {
        if (bytes.length > limits.bytesMax) continue
        const key = refKey(ref)
        remove(key)
        waiting.set(key, { ref, bytes, source, proved })
        endings.add(ref)
        bytesWaiting += bytes.length
        for (const oldest of waiting.keys()) {
          if (waiting.size <= limits.itemsMax && bytesWaiting <= limits.bytesMax) break
          remove(oldest)
        }
      }
    },
    // Asked at each step of each walk: mostly there is nothing, and no name to be spelled.
    take: (ref) => (endings.mayHold(ref) ? remove(refKey(ref)) : null),
  }
}
