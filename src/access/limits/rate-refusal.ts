// The refusal of who asks too often, with the numbers clients and people need to wait right.
// Tested by src/access/limits/limiter.test.ts
import { Fault } from '../../base/fault.ts'
import type { Rate, RateDecision } from './gcra.ts'

/** Every refusal of this kind has the number. */
const event = -33300

/** Fault `over_rate` of who has too many at once: there is no rate to tell. `details`: as below. */
export function overCount(details: string): Fault {
  return new Fault('over_rate', { data: { event, details } })
}

/** Fault `over_rate`. `details`: a sentence that says whose limit it is. */
export function overRate(
  rate: Rate,
  verdict: Extract<RateDecision, { ok: false }>,
  details: string,
): Fault {
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
