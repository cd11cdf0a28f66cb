// Filters as data, so that a client can poll on any process or node: a query, and the place up to which the client received
// changes.
// Tested by src/rpc/filters/filter-store.test.ts, which runs test/suites/filter-store.suite.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'

export type StoredFilter = {
  readonly keyId: string
  readonly network: string
  /** JSON of the log query, or of the text `pending`; null: a block filter. */
  readonly query: string | null
  /** Opaque to the store. */
  readonly place: string
}

/** Every implementation runs test/suites/filter-store.suite.ts. Methods may throw or reject with `overloaded`. */
export interface FilterStore {
  /** Throws or rejects with `over_filters` if the key has too many. */
  add(id: string, filter: StoredFilter): void | Promise<void>
  /** Null: it does not exist or has expired. Restarts its expiry time. */
  find(id: string): StoredFilter | null | Promise<StoredFilter | null>
  /** Sets the place if it is still `from`. False: it is not, or the filter does not exist. */
  move(id: string, from: string, to: string): boolean | Promise<boolean>
  /** False: it did not exist. */
  drop(id: string): boolean | Promise<boolean>
  countOf(keyId: string): number | Promise<number>
}

export type FiltersLimits = {
  readonly perKeyMax: number
  /** Limit per process. With a shared store, only the limit per key applies. */
  readonly totalMax: number
  /** A filter that is not used for this long expires. */
  readonly idleMs: number
}

export const defaultFiltersLimits: FiltersLimits = {
  perKeyMax: 100,
  totalMax: 10_000,
  idleMs: 300_000,
}

export function overFilters({ perKeyMax }: Pick<FiltersLimits, 'perKeyMax'>): Fault {
  return new Fault('over_filters', { detail: `too many filters, limit is ${perKeyMax}` })
}

/** Filters of one process: after a restart clients get `filter not found` and create a new one. */
export function createMemoryFilters(
  clock: Pick<Clock, 'monotonic'>,
  limits: FiltersLimits = defaultFiltersLimits,
): FilterStore {
  // In the order of last use: the first ones expire first.
  const filters = new Map<string, { readonly filter: StoredFilter; readonly usedAt: number }>()
  const countOf = new Map<string, number>()

  function drop(id: string): boolean {
    const entry = filters.get(id)
    if (entry === undefined) return false
    filters.delete(id)
    const { keyId } = entry.filter
    const left = (countOf.get(keyId) ?? 0) - 1
    if (left > 0) countOf.set(keyId, left)
    else countOf.delete(keyId)
    return true
  }

  function dropIdle(): void {
    const before = clock.monotonic() - limits.idleMs
    for (const [id, { usedAt }] of filters) {
      if (usedAt > before) return
      drop(id)
    }
  }

  function set(id: string, filter: StoredFilter): void {
    filters.delete(id)
    filters.set(id, { filter, usedAt: clock.monotonic() })
  }

  return {
    add(id, filter) {
      dropIdle()
      const countOfKey = countOf.get(filter.keyId) ?? 0
      if (countOfKey >= limits.perKeyMax) throw overFilters(limits)
      if (filters.size >= limits.totalMax) throw new Fault('overloaded')
      countOf.set(filter.keyId, countOfKey + 1)
      set(id, filter)
    },
    find(id) {
      dropIdle()
      const entry = filters.get(id)
      if (entry === undefined) return null
      set(id, entry.filter)
      return entry.filter
    },
    move(id, from, to) {
      const entry = filters.get(id)
      if (entry?.filter.place !== from) return false
      set(id, { ...entry.filter, place: to })
      return true
    },
    drop(id) {
      dropIdle()
      return drop(id)
    },
    countOf(keyId) {
      dropIdle()
      return countOf.get(keyId) ?? 0
    },
  }
}
