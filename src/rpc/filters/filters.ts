// Filters that clients poll: each belongs to the ApiKey that made it and to one network, and expires
// when it is not polled. In memory only: after a restart clients get `filter not found` and create a new one.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault, hasCode } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import type { Revocable } from '../revocable.ts'
import type { RpcCall } from '../operation.ts'
import type { LogQuery } from '../params/log-filter.ts'

/** What is new since the last time it was asked, in order; throws `no_filter` when some of it is forgotten. */
export type FilterChanges = (call: RpcCall) => Promise<Revocable<readonly unknown[]>>

/** `query`: of a filter of logs; null for the others. */
export type FilterParts = { readonly changes: FilterChanges; readonly query: LogQuery | null }

export interface Filters {
  /** Resolves with the id: `0x` and 32 hex digits. Throws `over_filters`, `overloaded`. */
  add(call: RpcCall, parts: FilterParts): string
  /** Polls of one filter run one after the other. Throws `no_filter`. */
  poll(call: RpcCall, id: string): Promise<Revocable<readonly unknown[]>>
  /** Throws `no_filter`, also for a filter that is not one of logs. */
  queryOf(call: RpcCall, id: string): LogQuery
  /** False when there was none. */
  drop(call: RpcCall, id: string): boolean
}

export type FiltersLimits = {
  readonly perKeyMax: number
  readonly totalMax: number
  /** Unasked for so long, a filter is forgotten. */
  readonly idleMs: number
}

const defaultLimits: FiltersLimits = { perKeyMax: 100, totalMax: 10_000, idleMs: 300_000 }

type Filter = FilterParts & {
  readonly keyId: string
  readonly network: string
  usedAt: number
  lastPoll: Promise<unknown>
}

export function createFilters(clock: Clock, limits: FiltersLimits = defaultLimits): Filters {
  // In order of last use: the first ones are the first to be forgotten.
  const filters = new Map<string, Filter>()
  const countOf = new Map<string, number>()

  function remove(id: string, { keyId }: Filter): void {
    if (!filters.delete(id)) return
    const left = (countOf.get(keyId) ?? 0) - 1
    if (left > 0) countOf.set(keyId, left)
    else countOf.delete(keyId)
  }

  function forgetIdle(): void {
    const before = clock.monotonic() - limits.idleMs
    for (const [id, filter] of filters) {
      if (filter.usedAt > before) return
      remove(id, filter)
    }
  }

  function find({ caller, network }: RpcCall, id: string): Filter | null {
    forgetIdle()
    const filter = filters.get(id)
    const isOwn = filter?.keyId === caller.keyId && filter.network === network.name
    return filter !== undefined && isOwn ? filter : null
  }

  function use(call: RpcCall, id: string): Filter {
    const filter = find(call, id)
    if (filter === null) throw new Fault('no_filter')
    filter.usedAt = clock.monotonic()
    filters.delete(id)
    filters.set(id, filter)
    return filter
  }

  return {
    add({ caller, network }, parts) {
      forgetIdle()
      const own = countOf.get(caller.keyId) ?? 0
      if (own >= limits.perKeyMax) {
        throw new Fault('over_filters', {
          detail: `too many filters, limit is ${limits.perKeyMax}`,
        })
      }
      if (filters.size >= limits.totalMax) throw new Fault('overloaded')
      const id = toHex(randomBytes(16))
      countOf.set(caller.keyId, own + 1)
      filters.set(id, {
        ...parts,
        keyId: caller.keyId,
        network: network.name,
        usedAt: clock.monotonic(),
        lastPoll: Promise.resolve(),
      })
      return id
    },
    async poll(call, id) {
      const filter = use(call, id)
      const before = filter.lastPoll
      const poll = before.then(() => {
        call.signal.throwIfAborted()
        return filter.changes(call)
      })
      filter.lastPoll = poll.catch(() => {})
      try {
        return await poll
      } catch (thrown) {
        if (hasCode(thrown, 'no_filter')) remove(id, filter)
        throw thrown
      }
    },
    queryOf(call, id) {
      const { query } = use(call, id)
      if (query === null) throw new Fault('no_filter')
      return query
    },
    drop(call, id) {
      const filter = find(call, id)
      if (filter !== null) remove(id, filter)
      return filter !== null
    },
  }
}
