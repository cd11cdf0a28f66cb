// Filters that clients poll: each belongs to one network and to the ApiKey that created it, and expires if it is not polled. They
// are in a store, which several processes and nodes can share. Filters of pending transactions follow the pool of one process,
// which the other processes of its machine read.
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
import { type ReadArrivals, readArrivals } from './arrivals.ts'
import {
  type AnswerSizeLimit,
  blocksAfter,
  createAnswerSizeLimit,
  logsAfter,
  transactionsAfter,
} from './filter-changes.ts'
import {
  type FilterStore,
  type FiltersLimits,
  type StoredFilter,
  createMemoryFilters,
  defaultFiltersLimits,
} from './filter-store.ts'

/** `pending`: transactions that become ready for a block. */
export type NewFilter =
  | { readonly kind: 'blocks' | 'pending' }
  | { readonly kind: 'logs'; readonly query: LogQuery }

export interface Filters {
  /** Resolves with the id: `0x` and 32 hex digits. Rejects with `over_filters`, `overloaded`. */
  add(call: RpcCall, filter: NewFilter): Promise<string>
  /** Polls of one filter run one after the other. Rejects with `no_filter`. */
  poll(call: RpcCall, id: string): Promise<Revocable<readonly unknown[]>>
  /** Rejects with `no_filter`, also if the filter is not a log filter. */
  queryOf(call: RpcCall, id: string): Promise<LogQuery>
  /** False if the filter did not exist. */
  drop(call: RpcCall, id: string): Promise<boolean>
}

/** State of a filter in this process, besides its stored data. */
type Live = {
  lastPoll: Promise<unknown>
  readonly sizeLimit: AnswerSizeLimit
}

/** `moves`: number of moves. `backTo`: the filter was rolled back to before this move; null: not since the last move. */
type FilterPosition = {
  readonly at: ChainPoint
  readonly moves: number
  readonly backTo: number | null
}

/** Polls of one filter on several nodes at the same time can conflict; after so many conflicts Cairn refuses the poll. */
const movesMax = 5

/** `store`: shared by nodes; default: of this process. `arrivals`: of pending transactions; default: of this process. */
export function createFilters(
  clock: Clock,
  parts: {
    readonly store?: FilterStore | undefined
    readonly arrivals?: ReadArrivals | undefined
    readonly limits?: FiltersLimits
  } = {},
): Filters {
  const { limits = defaultFiltersLimits } = parts
  const store = parts.store ?? createMemoryFilters(clock, limits)
  const arrivals: ReadArrivals =
    parts.arrivals ?? (({ pool }, from, max) => readArrivals(pool.arrivals, from, max))
  const lives = new Map<string, Live>()
  const livesMax = 2 * limits.totalMax

  function liveOf(id: string): Live {
    const live = lives.get(id) ?? {
      lastPoll: Promise.resolve(),
      sizeLimit: createAnswerSizeLimit(),
    }
    setNewest(lives, id, live, livesMax)
    return live
  }

  async function use({ caller, network }: RpcCall, id: string): Promise<StoredFilter> {
    const filter = await store.find(id)
    if (filter === null || filter.keyId !== caller.keyId || filter.network !== network.name) {
      throw new Fault('no_filter')
    }
    return filter
  }

  async function drop(id: string): Promise<boolean> {
    const dropped = await store.drop(id)
    lives.delete(id)
    return dropped
  }

  function changesAfter(call: RpcCall, query: string | null, at: ChainPoint, characters: number) {
    if (query === null) return blocksAfter(call, at, characters)
    if (query === pending) return transactionsAfter(call, at, characters, arrivals)
    return logsAfter(call, at, characters, { query: decodeQuery(query), clock })
  }

  /**
   * Returns the changes after the filter's place and advances the place, also while other nodes poll. Null: only another machine
   * can answer.
   */
  async function advance(call: RpcCall, id: string, live: Live) {
    for (let moves = 0; moves < movesMax; moves++) {
      const { query, place } = await use(call, id)
      const { at, moves: move } = decodePosition(place)
      const changes = await changesAfter(call, query, at, live.sizeLimit.characters())
      if (changes === null) return null
      const { values, to } = changes
      const next = encodePosition({ at: to, moves: move + 1, backTo: null })
      if (await store.move(id, place, next)) {
        return live.sizeLimit.accept(values, () => {
          live.lastPoll = live.lastPoll.then(() => goBack(id, { at, move }).catch(() => {}))
        })
      }
    }
    throw new Fault('overloaded')
  }

  /** Undoes a move and all later ones. Changes sent since are sent again, because a repeated change is better than a lost one. */
  async function goBack(
    id: string,
    { at, move }: { readonly at: ChainPoint; readonly move: number },
  ): Promise<void> {
    for (let moves = 0; moves < movesMax; moves++) {
      const filter = await store.find(id)
      if (filter === null) return
      const place = decodePosition(filter.place)
      if (place.backTo !== null && move >= place.backTo) return
      const before = encodePosition({ at, moves: place.moves, backTo: move })
      if (await store.move(id, filter.place, before)) return
    }
  }

  return {
    async add({ caller, network }, filter) {
      const id = toHex(randomBytes(16))
      const { keyId } = caller
      const at = filter.kind === 'pending' ? await arrivals(network, null, 0) : null
      if (at !== null && typeof at === 'string') throw new Fault('overloaded')
      const place = encodePosition({ at: at?.to ?? network.head.latest(), moves: 0, backTo: null })
      await store.add(id, { keyId, network: network.name, query: queryIn(filter), place })
      return id
    },
    async poll(call, id) {
      await use(call, id)
      const live = liveOf(id)
      const poll = live.lastPoll.then(() => {
        call.signal.throwIfAborted()
        return advance(call, id, live)
      })
      live.lastPoll = poll.catch(() => {})
      let changes: Awaited<typeof poll>
      try {
        changes = await poll
      } catch (thrown) {
        if (hasCode(thrown, 'no_filter')) await drop(id)
        throw thrown
      }
      if (changes === null) throw new Fault('no_filter')
      return changes
    },
    async queryOf(call, id) {
      const { query } = await use(call, id)
      if (query === null || query === pending) throw new Fault('no_filter')
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

/** Stored query of filters of pending transactions; no log query has this text. */
const pending = JSON.stringify('pending')

/** The query in its stored form. */
function queryIn(filter: NewFilter): string | null {
  if (filter.kind === 'logs') return JSON.stringify(canonicalLogQuery(filter.query))
  return filter.kind === 'pending' ? pending : null
}

function decodeQuery(text: string): LogQuery {
  return parseLogFilter(JSON.parse(text), 0)
}

function encodePosition({ at, moves, backTo }: FilterPosition): string {
  return JSON.stringify([toHex(at.hash), at.number.toString(), moves, backTo])
}

function decodePosition(text: string): FilterPosition {
  const [hash, number, moves, backTo] = JSON.parse(text) as [string, string, number, number | null]
  return { at: { hash: fromHex(hash), number: BigInt(number) }, moves, backTo }
}
