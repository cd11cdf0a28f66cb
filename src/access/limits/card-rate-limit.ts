// Rate limit of requests to the payment provider per name (an account, an address). Tests of stolen cards come from few
// addresses with many accounts, and each request has a cost.
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { takeUnits } from './gcra.ts'
import { overRate } from './rate-refusal.ts'

const namesMax = 10_000

/**
 * Counts one request of `name`. Throws `over_rate` for more than `most` in `seconds`; `details` names the limit's
 * owner. In memory; beyond `namesMax` names, the least recent one is dropped.
 */
export function createCardRateLimit(parts: {
  readonly clock: Clock
  readonly most: () => number
  readonly seconds: number
  readonly details: (most: number) => string
}): (name: string) => void {
  const { clock, most, seconds, details } = parts
  const evenAt = new Map<string, number>()
  return (name) => {
    const rate = { perSecond: most() / seconds, burst: most() }
    const verdict = takeUnits(evenAt.get(name) ?? 0, clock.monotonic(), 1, rate)
    if (!verdict.ok) throw overRate(rate, verdict, details(most()))
    setNewest(evenAt, name, verdict.evenAt, namesMax)
  }
}
