// Filters that clients poll: each belongs to the ApiKey that made it and to one network, and expires when it is not
// polled. Filters of logs and blocks are in a store, which several nodes may share; those of pending transactions follow
// the pool of this process.
// Tested by src/rpc/filters/filters.test.ts
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault, hasCode } from '../../base/fault.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { setNewest } from '../../base/lru-cache.ts'
import type { ChainPoint } from '../../chain/reorg-path.ts'
import type { RpcCall } from '../operation.ts'
import { type LogQuery, parseLogFilter } from '../params/log-filter.ts'
import type { Revocable } from '../revocable.ts'
import { canonicalLogQuery } from './canonical-log-query.ts'
import {
  type FilterChanges,
  type Room,
  blocksAfter,
  createRoom,
  logsAfter,
} from './filter-changes.ts'
import {
  type FilterStore,
  type FiltersLimits,
  type StoredFilter,
  createMemoryFilters,
  defaultFiltersLimits,
} from './filter-store.ts'

/** `changes`: of a filter that follows something in this process. */
export type NewFilter =
  | { readonly kind: 'blocks' }
  | { readonly kind: 'logs'; readonly query: LogQuery }
  | { readonly kind: 'local'; readonly changes: FilterChanges }

export interface Filters {
  /** Resolves with the id: `0x` and 32 hex digits. Rejects with `over_filters`, `overloaded`. */
  add(call: RpcCall, filter: NewFilter): Promise<string>
  /** Polls of one filter run one after the other. Rejects with `no_filter`. */
  poll(call: RpcCall, id: string): Promise<Revocable<readonly unknown[]>>
  /** Rejects with `no_filter`, also for a filter that is not one of logs. */
  queryOf(call: RpcCall, id: string): Promise<LogQuery>
  /** False when there was none. */
  drop(call: RpcCall, id: string): Promise<boolean>
}

/** What this process keeps of a filter besides its data. */
type Live = {
  lastPoll: Promise<unknown>
  readonly room: Room
  readonly changes: FilterChanges | null
}

/** `moves`: how often it moved. `backTo`: it went back before this move; null: it did not since the last move. */
type Place = { readonly at: ChainPoint; readonly moves: number; readonly backTo: number | null }

/** Polls of one filter on several nodes at the same time take turns so often, then they are refused. */
const movesMax = 5

/** `store`: of several nodes; default: of this process. */
export function createFilters(
  clock: Clock,
  parts: { readonly store?: FilterStore; readonly limits?: FiltersLimits } = {},
): Filters {
  const { limits = defaultFiltersLimits } = parts
  const local = createMemoryFilters(clock, limits)
  const shared = parts.store ?? local
  const lives = new Map<string, Live>()
  const livesMax = 2 * limits.totalMax

  function liveOf(id: string, changes: FilterChanges | null = null): Live {
    const live = lives.get(id) ?? { lastPoll: Promise.resolve(), room: createRoom(), changes }
    setNewest(lives, id, live, livesMax)
    return live
  }

  function homeOf(id: string): FilterStore {
    const changes = lives.get(id)?.changes ?? null
    return changes === null ? shared : local
  }

  async function use({ caller, network }: RpcCall, id: string): Promise<StoredFilter> {
    const filter = await homeOf(id).find(id)
    if (filter === null || filter.keyId !== caller.keyId || filter.network !== network.name) {
      throw new Fault('no_filter')
    }
    return filter
  }

  async function drop(id: string): Promise<boolean> {
    const dropped = await homeOf(id).drop(id)
    lives.delete(id)
    return dropped
  }

  /** What is new after the place of the filter, which moves with it, also if other nodes poll. */
  async function advance(call: RpcCall, id: string, live: Live) {
    for (let moves = 0; moves < movesMax; moves++) {
      const { query, place } = await use(call, id)
      const { at, moves: move } = decodePlace(place)
      const room = live.room.characters()
      const { values, to } =
        query === null
          ? await blocksAfter(call, at, room)
          : await logsAfter(call, at, room, { query: decodeQuery(query), clock })
      const next = encodePlace({ at: to, moves: move + 1, backTo: null })
      if (await shared.move(id, place, next)) {
        return live.room.take(values, () => {
          live.lastPoll = live.lastPoll.then(() => goBack(id, { at, move }).catch(() => {}))
        })
      }
    }
    throw new Fault('overloaded')
  }

  /** Undoes a move and all later ones: changes that were sent since are sent again, which is better than never. */
  async function goBack(
    id: string,
    { at, move }: { readonly at: ChainPoint; readonly move: number },
  ): Promise<void> {
    for (let moves = 0; moves < movesMax; moves++) {
      const filter = await shared.find(id)
      if (filter === null) return
      const place = decodePlace(filter.place)
      if (place.backTo !== null && move >= place.backTo) return
      const before = encodePlace({ at, moves: place.moves, backTo: move })
      if (await shared.move(id, filter.place, before)) return
    }
  }

  return {
    async add({ caller, network }, filter) {
      const id = toHex(randomBytes(16))
      const isLocal = filter.kind === 'local'
      const place = isLocal
        ? ''
        : encodePlace({ at: network.head.latest(), moves: 0, backTo: null })
      const query = filter.kind === 'logs' ? encodeQuery(filter.query) : null
      const stored = { keyId: caller.keyId, network: network.name, query, place }
      await (isLocal ? local : shared).add(id, stored)
      liveOf(id, isLocal ? filter.changes : null)
      return id
    },
    async poll(call, id) {
      await use(call, id)
      const live = liveOf(id)
      const poll = live.lastPoll.then(() => {
        call.signal.throwIfAborted()
        return live.changes === null ? advance(call, id, live) : live.changes(call)
      })
      live.lastPoll = poll.catch(() => {})
      try {
        return await poll
      } catch (thrown) {
        if (hasCode(thrown, 'no_filter')) await drop(id)
        throw thrown
      }
    },
    async queryOf(call, id) {
      const { query } = await use(call, id)
      if (query === null) throw new Fault('no_filter')
      return decodeQuery(query)
    },
    async drop(call, id) {
      try {
        await use(call, id)
      } catch (thrown) {
        if (hasCode(thrown, 'no_filter')) return false
        throw thrown
      }
      return await drop(id)
    },
  }
}

function encodeQuery(query: LogQuery): string {
  return JSON.stringify(canonicalLogQuery(query))
}

function decodeQuery(text: string): LogQuery {
  return parseLogFilter(JSON.parse(text), 0)
}

function encodePlace({ at, moves, backTo }: Place): string {
  return JSON.stringify([toHex(at.hash), at.number.toString(), moves, backTo])
}

/** Throws `no_filter` for a filter whose process has forgotten it. */
function decodePlace(text: string): Place {
  if (text === '') throw new Fault('no_filter')
  const [hash, number, moves, backTo] = JSON.parse(text) as [string, string, number, number | null]
  return { at: { hash: fromHex(hash), number: BigInt(number) }, moves, backTo }
}
