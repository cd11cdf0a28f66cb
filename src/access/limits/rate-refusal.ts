// Rate limit faults, with the numbers that clients need for their retry.
// Tested by src/access/limits/limiter.test.ts
import { Fault } from '../../base/fault.ts'
import type { Rate, RateDecision } from './gcra.ts'

/** JSON-RPC code of rate limits, as with Infura. */
const event = -33300

/** Fault `over_rate` for too many concurrent requests: there is no rate to report. `details`: as below. */
export function overCount(details: string): Fault {
  return new Fault('over_rate', { data: { event, details } })
}

/** Fault `over_rate`. `details`: a sentence that names the owner of the limit. */
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
