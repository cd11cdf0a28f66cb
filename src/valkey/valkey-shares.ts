// Rate limits of all nodes: a script decides by the clock of Valkey. While Valkey is unreachable, each node enforces its fraction
// of the rate, starting from the last known state of the bucket.
// Tested by test/valkey/shares.test.ts, which runs test/suites/rate-shares.suite.ts
import type { Clock } from '../base/clock.ts'
import { createMemoryShares } from '../access/limits/memory-shares.ts'
import { type Rate, msPerUnitOf } from '../access/limits/rate-limit.ts'
import type { RateShares, Share } from '../access/limits/rate-shares.ts'
import { type ValkeyConnection, keyPrefix, script } from './connection.ts'

/** How a node decides alone: by its fraction of the rate, or by admitting or refusing everything. */
export type AloneMode = 'divide' | 'open' | 'closed'

// A bucket: the time at which its debt is paid off, and its rate. In milliseconds of the server's clock with fractions, because a
// unit of a high rate takes less than a millisecond.
const readBucket = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local even, per = now, nil
local value = redis.call('GET', KEYS[1])
if value then
  local space = string.find(value, ' ', 1, true)
  even = tonumber(string.sub(value, 1, space - 1))
  per = tonumber(string.sub(value, space + 1))
end
local function write(rate)
  redis.call('SET', KEYS[1], string.format('%.17g %.17g', even, rate), 'PX', math.ceil(even - now) + 1000)
end`

/**
 * KEYS: bucket. ARGV: rate, burst, least, wanted; units that the node has already spent, and the minimum debt that it knows, in
 * milliseconds. Returns the granted units and the remaining debt in milliseconds, as text.
 */
const takeScript = script(`${readBucket}
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local least, wanted = tonumber(ARGV[3]), tonumber(ARGV[4])
if per and per ~= rate then
  even = now + math.min(math.max(0, even - now) * per, burst * 1000) / rate
end
local ms = 1000 / rate
even = math.max(math.max(even, now) + tonumber(ARGV[5]) * ms, now + tonumber(ARGV[6]))
local units = 0
if least > 0 and even + least * ms - now - burst * ms <= ms / 1000 then
  local room = math.floor(burst - (even - now) / ms + 0.001)
  units = math.max(least, math.min(wanted, room))
  even = even + units * ms
end
if even > now then write(rate) end
return { units, string.format('%.6f', even - now) }`)

/** KEYS: bucket. ARGV: unused units. */
const giveScript = script(`${readBucket}
if per and per > 0 then
  even = even - tonumber(ARGV[1]) * 1000 / per
  if even > now then write(per) else redis.call('DEL', KEYS[1]) end
end
return 1`)

/** The shares of all nodes together cover this time. */
const sharedMs = 100
/**
 * After this node has reconnected, other nodes may still decide alone for a second. Until they have reconnected too, this node
 * still enforces its fraction of the rate, and charges its units to the shared bucket.
 */
const rejoinMs = 2_000
const bucketsMax = 100_000

/** `nodes`: number of live nodes, this one included; at least 1. */
export function createValkeyShares(parts: {
  readonly connection: ValkeyConnection
  readonly nodes: () => number
  readonly alone: () => AloneMode
  readonly clock: Clock
}): RateShares {
  const { connection, nodes, clock } = parts
  /** The debt of each bucket as known to this node, at its own fraction of the rate. */
  const local = createMemoryShares({ clock, bucketsMax })
  const keyOf = (bucket: string): string => `${keyPrefix}rate:${bucket}`

  /** The burst is at least the size of the request, which must be able to pass. */
  function partOf({ perSecond, burst }: Rate, least: number): Rate {
    return { perSecond: perSecond / nodes(), burst: Math.max(burst / nodes(), least) }
  }

  function isApart(): boolean {
    if (connection.state === 'alone' || !connection.mayCall()) return true
    return clock.monotonic() - connection.backAt < rejoinMs && parts.alone() === 'divide'
  }

  async function run(bucket: string, rate: Rate, values: readonly number[]): Promise<Share> {
    const all = [rate.perSecond, rate.burst, ...values]
    const [units, refillMs] = await connection.run(takeScript, [keyOf(bucket)], all)
    return { units: Number(units), refillMs: Number(refillMs) }
  }

  function takeAlone(bucket: string, rate: Rate, least: number, wanted: number): Share {
    const mode = parts.alone()
    if (mode === 'open') return { units: wanted, refillMs: 0 }
    if (mode === 'closed') return { units: 0, refillMs: rate.burst * msPerUnitOf(rate) }
    const part = partOf(rate, least)
    const share = local.take(bucket, part, least, wanted) as Share
    if (share.units === 0) {
      // The wait follows from the fraction, but callers compute it from the full rate, so the difference is added.
      const longer = least * (msPerUnitOf(part) - msPerUnitOf(rate))
      return { units: 0, refillMs: share.refillMs + longer }
    }
    if (connection.mayCall()) {
      // Valkey may have lost the debt of the bucket.
      run(bucket, rate, [0, 0, share.units, share.refillMs]).catch(() => {})
    }
    return share
  }

  async function takeShared(
    bucket: string,
    rate: Rate,
    least: number,
    wanted: number,
  ): Promise<Share> {
    const share = await run(bucket, rate, [least, wanted, 0, 0])
    local.set(bucket, partOf(rate, least), share.refillMs)
    return share
  }

  return {
    get aheadMs() {
      return sharedMs / nodes()
    },
    get state() {
      return connection.state
    },
    take(bucket, rate, least, wanted) {
      if (isApart()) return takeAlone(bucket, rate, least, wanted)
      return takeShared(bucket, rate, least, wanted).catch(() =>
        takeAlone(bucket, rate, least, wanted),
      )
    },
    give(bucket, units) {
      local.give(bucket, units / nodes())
      if (!connection.mayCall()) return
      connection.run(giveScript, [keyOf(bucket)], [units]).catch(() => {})
    },
    refillMs(bucket, rate) {
      const known = () => local.refillMs(bucket, partOf(rate, 0))
      if (!connection.mayCall()) return known()
      return run(bucket, rate, [0, 0, 0, 0]).then(({ refillMs }) => refillMs, known)
    },
  }
}
