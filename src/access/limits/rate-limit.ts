// Rate limits by the generic cell rate algorithm: one number per key, the time at which its bucket is full again. Also the faults
// of refused requests, with the numbers that clients need for a retry, and the limit of requests to the payment provider per name
// (an account, an address).
// Tested by src/access/limits/gcra.test.ts
import { Fault } from '../../base/fault.ts'
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'

export type Rate = {
  readonly perSecond: number
  /** Units available in a burst after a pause. */
  readonly burst: number
}

/** Why a request must wait, and how long. */
export type RateRefusal = { readonly waitMs: number; readonly currentPerSecond: number }

export type RateDecision =
  | { readonly ok: true; readonly evenAt: number }
  | ({ readonly ok: false } & RateRefusal)

// Sums of fractions of a millisecond may miss the exact instant by this fraction of a unit.
const rounding = 1 / 1000

/**
 * `evenAt`: time at which the bucket is full again, in milliseconds on the clock of `now`; 0 for a new key. `units` must not exceed
 * the burst: such a request could never pass, so the caller refuses it before. `perSecond` > 0.
 */
export function takeUnits(evenAt: number, now: number, units: number, rate: Rate): RateDecision {
  const msPerUnit = msPerUnitOf(rate)
  const burstMs = rate.burst * msPerUnit
  const next = Math.max(evenAt, now) + units * msPerUnit
  const excess = next - now - burstMs
  if (excess <= rounding * msPerUnit) return { ok: true, evenAt: next }
  return {
    ok: false,
    waitMs: excess,
    currentPerSecond: Math.ceil((rate.perSecond * (next - now)) / burstMs),
  }
}

export function msPerUnitOf({ perSecond }: Pick<Rate, 'perSecond'>): number {
  return 1000 / perSecond
}

/** Null: a bucket that is full again in `refillMs` milliseconds holds `units` now. */
export function refusalOf(refillMs: number, units: number, rate: Rate): RateRefusal | null {
  const decision = takeUnits(refillMs, 0, units, rate)
  return decision.ok ? null : decision
}

/** Refunds units that the responses did not cost. */
export function returnUnits(evenAt: number, units: number, rate: Pick<Rate, 'perSecond'>): number {
  return evenAt - (units * 1000) / rate.perSecond
}

/** JSON-RPC code of rate limits, as with Infura. */
const event = -33300

/** Fault `over_rate` for too many concurrent requests: there is no rate to report. `details`: as below. */
export function overCount(details: string): Fault {
  return new Fault('over_rate', { data: { event, details } })
}

/** Fault `over_rate`. `details`: a sentence that names the owner of the limit. */
export function overRate(rate: Rate, verdict: RateRefusal, details: string): Fault {
  return new Fault('over_rate', {
    data: {
      rate: {
        allowed_rps: rate.perSecond,
        current_rps: verdict.currentPerSecond,
        backoff_seconds: Math.max(1, Math.ceil(verdict.waitMs / 1000)),
      },
      event,
      details,
    },
  })
}

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
