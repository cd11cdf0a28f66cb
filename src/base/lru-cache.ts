// Bounded maps. The LRU cache has two generations instead of a list of uses: a hit costs one lookup, and an entry used since the
// last change of generations survives the next one. `setNewest` evicts the oldest entry.
// Tested by src/base/lru-cache.test.ts

/** Sets `key` as the newest entry of `map`, and evicts old entries above `most` (1 or more). */
export function setNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key)
  for (const oldest of map.keys()) {
    if (map.size < most) break
    map.delete(oldest)
  }
  map.set(key, value)
}

export interface LruCache<Value> {
  find(key: string): Value | null
  /** No effect if the key has a value, or if the value is larger than 1/64 of the limit. */
  add(key: string, value: Value): void
}

const largestShare = 64

/**
 * Holds at most `sizeMax`, and at least the most recently used half of it. 0: caches nothing. `sizeOf`: in the unit of
 * the limit, at least 1, constant per value; called again when an entry moves, because only the value is stored.
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
