// Rate limits that several processes or nodes share. A process takes a share of a bucket in advance and spends it from memory
// without waiting; only a take that needs another share waits.
// Tested by test/suites/rate-shares.suite.ts, src/access/limits/share-spender.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { type Rate, type RateRefusal, refusalOf } from './rate-limit.ts'

/**
 * `units`: granted; 0 = refused. `refillMs`: time until the bucket is full again, after this take. `refusalOf` computes a client's
 * wait from it.
 */
export type Share = { readonly units: number; readonly refillMs: number }

/** Every implementation runs test/suites/rate-shares.suite.ts. */
export interface RateShares {
  /**
   * Takes from `least` to `wanted` units of a bucket, as many as it holds; nothing if it holds fewer than `least`. `least` does not
   * exceed the burst. Units owed under another rate keep their number, but do not exceed the new burst. Rejects only because of a
   * bug.
   */
  take(bucket: string, rate: Rate, least: number, wanted: number): Share | Promise<Share>
  /** Returns unused units. They may be lost if the bucket is remote. */
  give(bucket: string, units: number): void
  /** Milliseconds until the bucket is full again; takes nothing. */
  refillMs(bucket: string, rate: Rate): number | Promise<number>
  /**
   * How much of a second's rate a process may take in advance, in milliseconds: 100 / the number of nodes. 0: every take is exact
   * and synchronous.
   */
  readonly aheadMs: number
  /** `alone`: the other nodes cannot be reached, so each node decides independently. */
  readonly state: 'shared' | 'alone'
}

/** Rate limits for the checks of requests. */
export type ShareSpender = {
  /** Null: spent. A promise if a share must be taken first. Throws or rejects with `overloaded`. */
  spend(bucket: string, rate: Rate, units: number): RateRefusal | null | Promise<RateRefusal | null>
  /** As `spend`, without taking units. */
  check(bucket: string, rate: Rate, units: number): RateRefusal | null | Promise<RateRefusal | null>
  readonly give: RateShares['give']
  readonly refillMs: RateShares['refillMs']
}

type PendingSpend = {
  readonly units: number
  readonly resolve: (refusal: RateRefusal | null) => void
  readonly reject: (error: unknown) => void
}

type LocalBucket = {
  /** Units taken in advance and not spent. */
  units: number
  /** Takes in flight. */
  taking: number
  /** Requests of this turn of the event loop, which the next take serves. */
  pending: PendingSpend[]
  /** A take of `units` was refused `at` this time; takes of as many units fail until the share's bucket has recovered. */
  refused: { readonly units: number; readonly at: number; readonly share: Share } | null
}

const bucketsMax = 100_000
const pendingMax = 10_000
/** How long a refusal is repeated from memory. Refunds and higher rates take effect after it. */
const refusedMs = 100

/**
 * The units that a process holds in advance are at most `aheadMs` of the rate, plus the rest of larger requests. They were taken
 * from the bucket before, so all processes together admit at most burst + rate x t + the units that they hold. Beyond `bucketsMax`
 * buckets, the units of the oldest one are lost.
 */
export function createShareSpender(parts: {
  readonly shares: RateShares
  readonly clock: Pick<Clock, 'monotonic'>
  readonly bucketsMax?: number
}): ShareSpender {
  const { shares, clock } = parts
  const most = parts.bucketsMax ?? bucketsMax
  const localBuckets = new Map<string, LocalBucket>()

  function localBucketOf(bucket: string): LocalBucket {
    const known = localBuckets.get(bucket)
    if (known !== undefined) return known
    const local: LocalBucket = { units: 0, taking: 0, pending: [], refused: null }
    setNewest(localBuckets, bucket, local, most)
    return local
  }

  /** Spends from memory; undefined: a share must be taken. */
  function spendLocal(
    local: LocalBucket,
    rate: Rate,
    units: number,
  ): RateRefusal | null | undefined {
    if (local.pending.length === 0 && local.units >= units) {
      local.units -= units
      return null
    }
    const { refused } = local
    if (refused === null || units < refused.units) return undefined
    const since = clock.monotonic() - refused.at
    if (since >= refusedMs) return undefined
    return refusalOf(Math.max(0, refused.share.refillMs - since), units, rate) ?? undefined
  }

  /** One take serves all requests of this turn of the event loop. */
  async function takeForPending(bucket: string, rate: Rate, local: LocalBucket): Promise<void> {
    const { pending } = local
    local.pending = []
    const unspent = local.units
    local.units = 0
    const sum = pending.reduce((all, { units }) => all + units, 0)
    const fewest = pending.reduce((least, { units }) => Math.min(least, units), rate.burst)
    // At most one share in advance at a time.
    const ahead = local.taking > 0 ? 0 : Math.floor((rate.perSecond * shares.aheadMs) / 1000)
    const wanted = Math.max(sum, Math.min(ahead, rate.burst)) - unspent
    local.taking += 1
    try {
      const share = await shares.take(
        bucket,
        rate,
        Math.max(fewest - unspent, 1),
        Math.max(wanted, 1),
      )
      let remaining = unspent + share.units
      for (const { units, resolve } of pending) {
        const fits = units <= remaining
        if (fits) remaining -= units
        resolve(fits ? null : refuse(local, rate, units, share))
      }
      local.units += remaining
    } catch (error) {
      local.units += unspent
      for (const { reject } of pending) reject(error)
    } finally {
      local.taking -= 1
    }
  }

  function refuse(local: LocalBucket, rate: Rate, units: number, share: Share): RateRefusal {
    const refusal = refusalOf(share.refillMs, units, rate)
    // The bucket holds enough, but other requests of this turn took the rest of the share.
    if (refusal === null) return { waitMs: 1, currentPerSecond: Math.ceil(rate.perSecond) }
    const previous = local.refused
    const fewer =
      previous !== null && previous.units < units && clock.monotonic() - previous.at < refusedMs
    if (!fewer) local.refused = { units, at: clock.monotonic(), share }
    return refusal
  }

  return {
    spend(bucket, rate, units) {
      if (shares.aheadMs === 0) return takeExactly(shares, bucket, rate, units)
      const local = localBucketOf(bucket)
      const outcome = spendLocal(local, rate, units)
      if (outcome !== undefined) return outcome
      if (local.pending.length >= pendingMax) throw new Fault('overloaded')
      if (local.pending.length === 0) setImmediate(() => void takeForPending(bucket, rate, local))
      return new Promise((resolve, reject) => {
        local.pending.push({ units, resolve, reject })
      })
    },
    check(bucket, rate, units) {
      const refill = shares.refillMs(bucket, rate)
      if (!(refill instanceof Promise)) return refusalOf(refill, units, rate)
      return refill.then((refillMs) => refusalOf(refillMs, units, rate))
    },
    give: (bucket, units) => shares.give(bucket, units),
    refillMs: (bucket, rate) => shares.refillMs(bucket, rate),
  }
}

function takeExactly(
  shares: RateShares,
  bucket: string,
  rate: Rate,
  units: number,
): RateRefusal | null | Promise<RateRefusal | null> {
  const share = shares.take(bucket, rate, units, units)
  if (share instanceof Promise) return share.then((later) => refusalIn(later, rate, units))
  return share.units === 0 ? refusalIn(share, rate, units) : null
}

function refusalIn(share: Share, rate: Rate, units: number): RateRefusal | null {
  if (share.units >= units) return null
  return refusalOf(share.refillMs, units, rate) ?? { waitMs: 1, currentPerSecond: rate.perSecond }
}
