// Generic cell rate algorithm: one number per key, the time at which its bucket is full again. Pure; exact to one
// unit. ATM Forum TM 4.0, section 4.4.2 (virtual scheduling).

export type Rate = {
  readonly perSecond: number
  /** Units available in a burst after a pause. */
  readonly burst: number
}

export type RateDecision =
  | { readonly ok: true; readonly evenAt: number }
  | { readonly ok: false; readonly waitMs: number; readonly currentPerSecond: number }

// Sums of fractions of a millisecond may miss the exact instant by this part of a unit.
const rounding = 1 / 1000

/**
 * `evenAt`: milliseconds on the clock of `now`; 0 for a new key. `units` must not exceed the burst: such a request
 * could never pass, so the caller refuses it before. `perSecond` > 0.
 */
export function takeUnits(evenAt: number, now: number, units: number, rate: Rate): RateDecision {
  const msPerUnit = 1000 / rate.perSecond
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

/** Refunds units that the responses did not cost. */
export function returnUnits(evenAt: number, units: number, rate: Rate): number {
  return evenAt - (units * 1000) / rate.perSecond
}
