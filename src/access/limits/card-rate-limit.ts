// How often the billing company may be asked for one name (an account, an address): who tries stolen cards comes from
// few addresses with many accounts, and each question costs the company and us.
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/set-newest.ts'
import { takeUnits } from './gcra.ts'
import { overRate } from './rate-refusal.ts'

const namesMax = 10_000

/**
 * Counts one question of `name`. Throws `over_rate` for more than `most` in `seconds`; `details` says whose limit it
 * is. In memory; beyond `namesMax` names the one that asked longest ago starts afresh.
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
