// A map of what was used lately, bounded in size. Two generations instead of a list of last uses: a hit costs
// one look-up, and what was used since the last turn survives the next one.

export interface LruCache<Value> {
  find(key: string): Value | null
  /** Nothing when there is a value already, or when this one is larger than a 64th of the bound. */
  add(key: string, value: Value): void
}

const largestShare = 64

/**
 * Holds at most `sizeMax`, and at least the last half of that to be used. 0: remembers nothing. `sizeOf`: in the unit of
 * the bound, at least 1, always the same for a value; asked again when it moves, so that a look finds the value itself.
 */
export function createLruCache<Value extends object | string>({
  sizeMax,
  sizeOf,
}: {
  readonly sizeMax: number
  readonly sizeOf: (key: string, value: Value) => number
}): LruCache<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let youngSize = 0

  function put(key: string, value: Value, size: number): void {
    if (youngSize + size > sizeMax / 2) {
      old = young
      young = new Map()
      youngSize = 0
    }
    young.set(key, value)
    youngSize += size
  }

  return {
    find(key) {
      const found = young.get(key)
      if (found !== undefined) return found
      const aged = old.get(key)
      if (aged === undefined) return null
      old.delete(key)
      put(key, aged, sizeOf(key, aged))
      return aged
    },
    add(key, value) {
      const size = sizeOf(key, value)
      if (size > sizeMax / largestShare || young.has(key)) return
      old.delete(key)
      put(key, value, size)
    },
  }
}
