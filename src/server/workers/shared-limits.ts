// Rate limits and daily sums that the processes of one machine share: the keeper stores them in memory, the workers acquire shares
// over their links.
// Tested by src/server/workers/shared-limits.test.ts, which runs the suites of shares and counters
import type { Clock } from '../../base/clock.ts'
import { createMemoryShares } from '../../access/limits/memory-shares.ts'
import { createMemoryCounters, type SharedCounters } from '../../access/limits/period-count.ts'
import type { Rate } from '../../access/limits/rate-limit.ts'
import type { RateShares, Share } from '../../access/limits/rate-shares.ts'
import type { KeeperLink } from './keeper-link.ts'

/** Calls of a worker to the keeper. */
export type LimitCalls = {
  readonly takeShare: (request: {
    readonly bucket: string
    readonly rate: Rate
    readonly least: number
    readonly wanted: number
  }) => Share | Promise<Share>
  readonly giveShare: (request: { readonly bucket: string; readonly units: number }) => void
  readonly refillMs: (request: {
    readonly bucket: string
    readonly rate: Rate
  }) => number | Promise<number>
  /** Returns the sums after the additions, in the same order. */
  readonly addToCounters: (additions: readonly Addition[]) => Promise<readonly number[]>
}

type Addition = {
  readonly counter: string
  readonly ends: number
  readonly known: number
  readonly units: number
}

export type SharedLimits = {
  /** Shares for the rates of keys. */
  readonly shares: RateShares
  /** Shares for failed keys, counted by address. Separate, so that addresses do not evict keys. */
  readonly failed: RateShares
  readonly counters: SharedCounters
}

/** Buckets of one key: units, reads and writes. */
const bucketsPerKey = 3
const keysMax = 100_000
const addressesMax = 10_000

/** For the keeper, which takes exactly the units that it spends. */
export function createSharedLimits(clock: Clock): SharedLimits {
  return {
    shares: createMemoryShares({ clock, bucketsMax: bucketsPerKey * keysMax }),
    failed: createMemoryShares({ clock, bucketsMax: addressesMax }),
    counters: createMemoryCounters(clock),
  }
}

/** First word of the names of buckets for failed keys. */
const failedScope = 'failed '

export function createLimitCalls({ shares, failed, counters }: SharedLimits): LimitCalls {
  const of = (bucket: string): RateShares => (bucket.startsWith(failedScope) ? failed : shares)
  return {
    takeShare: ({ bucket, rate, least, wanted }) => of(bucket).take(bucket, rate, least, wanted),
    giveShare: ({ bucket, units }) => of(bucket).give(bucket, units),
    refillMs: ({ bucket, rate }) => of(bucket).refillMs(bucket, rate),
    addToCounters: (additions) =>
      Promise.all(
        additions.map(async ({ counter, ends, known, units }) =>
          counters.add(counter, ends, known, units),
        ),
      ),
  }
}

/** All processes together take shares for at most this time in advance. */
const aheadMs = 100
/** Time limit for a reply; a running keeper is always faster. */
const replyMs = 250

/** For a worker. While the keeper restarts, each worker enforces its own fraction of the rate. `of`: number of workers. */
export function createLinkedLimits(parts: {
  readonly link: Pick<KeeperLink<LimitCalls>, 'call' | 'isOpen'>
  readonly of: number
  readonly clock: Clock
}): SharedLimits {
  const { link, of, clock } = parts
  const alone = createMemoryShares({ clock, bucketsMax: keysMax })

  /** The reply of the keeper, or `instead` if it does not arrive in time. */
  async function soon<Reply>(
    reply: Promise<Reply>,
    instead: () => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const late = Promise.withResolvers<Reply>()
    const stopTimer = clock.after(replyMs, () => late.resolve(instead()))
    try {
      return await Promise.race([reply, late.promise])
    } catch {
      return await instead()
    } finally {
      stopTimer()
    }
  }

  function partOf({ perSecond, burst }: Rate, least: number): Rate {
    return { perSecond: perSecond / of, burst: Math.max(burst / of, least) }
  }

  const shares: RateShares = {
    aheadMs: aheadMs / of,
    get state() {
      return link.isOpen ? 'shared' : 'alone'
    },
    take(bucket, rate, least, wanted) {
      const takeAlone = () => {
        const part = partOf(rate, least)
        return alone.take(bucket, part, least, Math.min(wanted, Math.floor(part.burst)))
      }
      if (!link.isOpen) return takeAlone()
      return soon<Share>(link.call('takeShare', { bucket, rate, least, wanted }), takeAlone)
    },
    give(bucket, units) {
      link.call('giveShare', { bucket, units }).catch(() => {})
    },
    refillMs(bucket, rate) {
      const refillAlone = () => alone.refillMs(bucket, partOf(rate, 1))
      if (!link.isOpen) return refillAlone()
      return soon(link.call('refillMs', { bucket, rate }), refillAlone)
    },
  }
  return { shares, failed: shares, counters: createLinkedCounters(link) }
}

type PendingAddition = {
  readonly addition: Addition
  readonly resolve: (sum: number) => void
  readonly reject: (error: unknown) => void
}

/** Additions of one turn of the event loop are sent as one call. */
function createLinkedCounters(
  link: Pick<KeeperLink<LimitCalls>, 'call' | 'isOpen'>,
): SharedCounters {
  let pending: PendingAddition[] = []

  async function send(): Promise<void> {
    const all = pending
    pending = []
    try {
      const additions = all.map(({ addition }) => addition)
      const sums = await link.call('addToCounters', additions)
      all.forEach(({ resolve }, at) => resolve(sums[at] ?? 0))
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }

  return {
    add(counter, ends, known, units) {
      if (!link.isOpen) return Promise.reject(new Error('the keeper restarts'))
      if (pending.length === 0) setImmediate(() => void send())
      return new Promise((resolve, reject) => {
        pending.push({ addition: { counter, ends, known, units }, resolve, reject })
      })
    },
  }
}
