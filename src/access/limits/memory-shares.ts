// Rate limits of one process: every take is exact and synchronous.
// Tested by src/access/limits/memory-shares.test.ts, which runs test/suites/rate-shares.suite.ts
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { type Rate, msPerUnitOf, returnUnits, takeUnits } from './rate-limit.ts'
import type { RateShares, Share } from './rate-shares.ts'

type Bucket = {
  /** Time at which the bucket is full again, monotonic. */
  evenAt: number
  /** Rate with which `evenAt` was computed. */
  perSecond: number
}

/** `set`: makes a bucket owe this much, regardless of its state. */
export type MemoryShares = RateShares & {
  set(bucket: string, rate: Rate, refillMs: number): void
}

const bucketsMax = 100_000

/** Beyond `bucketsMax` buckets, the least recently used one is forgotten. `aheadMs`: for processes that share it. */
export function createMemoryShares(parts: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly bucketsMax?: number
  readonly aheadMs?: number
}): MemoryShares {
  const { clock, aheadMs = 0 } = parts
  const most = parts.bucketsMax ?? bucketsMax
  const buckets = new Map<string, Bucket>()

  function bucketOf(name: string, rate: Rate): Bucket {
    const known = buckets.get(name)
    const bucket = known ?? { evenAt: 0, perSecond: rate.perSecond }
    // The order matters only when evictions are near.
    if (known === undefined || buckets.size * 2 > most) setNewest(buckets, name, bucket, most)
    if (bucket.perSecond !== rate.perSecond) changeRate(bucket, rate, clock.monotonic())
    return bucket
  }

  return {
    aheadMs,
    state: 'shared',
    take(name, rate, least, wanted): Share {
      const bucket = bucketOf(name, rate)
      const now = clock.monotonic()
      const decision = takeUnits(bucket.evenAt, now, least, rate)
      if (!decision.ok) return { units: 0, refillMs: Math.max(0, bucket.evenAt - now) }
      const msPerUnit = msPerUnitOf(rate)
      let { evenAt } = decision
      let units = least
      if (wanted > least) {
        const available = Math.floor(rate.burst - (evenAt - now) / msPerUnit)
        units += Math.max(0, Math.min(wanted - least, available))
        evenAt += (units - least) * msPerUnit
      }
      bucket.evenAt = evenAt
      return { units, refillMs: evenAt - now }
    },
    give(name, units) {
      const bucket = buckets.get(name)
      if (bucket === undefined || bucket.perSecond <= 0) return
      bucket.evenAt = returnUnits(bucket.evenAt, units, bucket)
    },
    refillMs(name, rate) {
      const bucket = buckets.get(name)
      if (bucket === undefined) return 0
      if (rate.perSecond > 0 && bucket.perSecond !== rate.perSecond) {
        changeRate(bucket, rate, clock.monotonic())
      }
      return Math.max(0, bucket.evenAt - clock.monotonic())
    },
    set(name, rate, refillMs) {
      const bucket = bucketOf(name, rate)
      bucket.evenAt = clock.monotonic() + refillMs
    },
  }
}

/** Owed units keep their number under a new rate, but do not exceed its burst. */
function changeRate(bucket: Bucket, { perSecond, burst }: Rate, now: number): void {
  const deficit = Math.max(0, bucket.evenAt - now) * bucket.perSecond
  bucket.evenAt = now + Math.min(deficit, burst * 1000) / perSecond
  bucket.perSecond = perSecond
}
