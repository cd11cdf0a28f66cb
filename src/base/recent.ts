// A map of what was used lately, bounded in size. Two generations instead of a list of last uses: a hit costs
// one look-up, and what was used since the last turn survives the next one.

export interface Recent<Value> {
  find(key: string): Value | null
  /** `size` in the unit of the bound. What is larger than a 64th of it is not taken. */
  add(key: string, value: Value, size: number): void
}

type Entry<Value> = { readonly value: Value; readonly size: number }

const largestShare = 64

/** Holds at most `sizeMax`, and at least the last half of that to be used. 0: remembers nothing. */
export function createRecent<Value>({ sizeMax }: { readonly sizeMax: number }): Recent<Value> {
  let young = new Map<string, Entry<Value>>()
  let old = new Map<string, Entry<Value>>()
  let youngSize = 0

  function put(key: string, entry: Entry<Value>): void {
    if (youngSize + entry.size > sizeMax / 2) {
      old = young
      young = new Map()
      youngSize = 0
    }
    young.set(key, entry)
    youngSize += entry.size
  }

  return {
    find(key) {
      const found = young.get(key)
      if (found !== undefined) return found.value
      const aged = old.get(key)
      if (aged === undefined) return null
      old.delete(key)
      put(key, aged)
      return aged.value
    },
    add(key, value, size) {
      if (size > sizeMax / largestShare || young.has(key)) return
      old.delete(key)
      put(key, { value, size })
    },
  }
}
