// Filters of logs and blocks that every node can poll: a hash per filter, and a set of each key's filters by expiry.
// Tested by test/valkey/filters.test.ts, which runs test/suites/filter-store.suite.ts
import {
  type FilterStore,
  type FiltersLimits,
  defaultFiltersLimits,
  overFilters,
} from '../rpc/filters/filter-store.ts'
import { type ValkeyConnection, keyPrefix, script } from './connection.ts'

/** KEYS: filters of a key. ARGV: id, lifetime, their limit. Returns 0 if there are too many. */
const seatScript = script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if tonumber(ARGV[3]) > 0 and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`)

/** KEYS: filters of a key. Returns their number. */
const countScript = script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
return redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')`)

/** KEYS: filter. ARGV: place, next place. */
const moveScript = script(`
if redis.call('HGET', KEYS[1], 'place') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'place', ARGV[2])
return 1`)

/** KEYS: filter. ARGV: lifetime. Returns its members. */
const findScript = script(`
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('HMGET', KEYS[1], 'key', 'network', 'query', 'place')`)

/** KEYS: filter. ARGV: lifetime, key, network, query, place. An empty query means none. */
const addScript = script(`
redis.call('HSET', KEYS[1], 'key', ARGV[2], 'network', ARGV[3], 'query', ARGV[4], 'place', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`)

export function createValkeyFilters(
  connection: ValkeyConnection,
  limits: FiltersLimits = defaultFiltersLimits,
): FilterStore {
  const { perKeyMax, idleMs } = limits
  const keyOf = (id: string): string => `${keyPrefix}filter:${id}`
  const ownOf = (keyId: string): string => `${keyPrefix}filters:${keyId}`

  return {
    async add(id, { keyId, network, query, place }) {
      const [seated] = await connection.run(seatScript, [ownOf(keyId)], [id, idleMs, perKeyMax])
      if (seated === 0) throw overFilters(limits)
      await connection.run(addScript, [keyOf(id)], [idleMs, keyId, network, query ?? '', place])
    },
    async find(id) {
      const [keyId, network, query, place] = await connection.run(findScript, [keyOf(id)], [idleMs])
      if (typeof keyId !== 'string') return null
      connection.run(seatScript, [ownOf(keyId)], [id, idleMs, 0]).catch(() => {})
      return {
        keyId,
        network: String(network),
        query: query === '' ? null : String(query),
        place: String(place),
      }
    },
    async move(id, from, to) {
      const [moved] = await connection.run(moveScript, [keyOf(id)], [from, to])
      return moved === 1
    },
    async drop(id) {
      const keyId = await connection.call((client) => client.hGet(keyOf(id), 'key'))
      if (keyId === null) return false
      const dropped = await connection.call((client) => client.del(keyOf(id)))
      await connection.call((client) => client.zRem(ownOf(keyId), id))
      return dropped === 1
    },
    async countOf(keyId) {
      const [count] = await connection.run(countScript, [ownOf(keyId)], [])
      return Number(count)
    },
  }
}
