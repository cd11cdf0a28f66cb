// Rate limit for the proofs that the calls of one customer account fetch; each Ethereum account or slot is one proof. Calls over
// the limit wait, so that one customer cannot use up the upstreams.
// Tested by src/proved-calls/proof-rate.test.ts
import type { Clock } from '../base/clock.ts'
import { setNewest } from '../base/lru-cache.ts'

export type ProofRate = {
  /**
   * Reserves `count` proofs. Null: available immediately; otherwise resolves when the rate allows them. If the signal aborts,
   * rejects with `signal.reason` and returns the reservation.
   */
  acquire(accountId: string, count: number, signal: AbortSignal): Promise<void> | null
}

export type ProofRateLimits = {
  /** Sustained rate of one account. */
  readonly perSecond: number
  /** Proofs available immediately after a pause. */
  readonly burst: number
}

const defaultProofRate: ProofRateLimits = { perSecond: 2_000, burst: 8_000 }

/** Accounts in memory: more than have calls at the same time. */
const accountsMax = 10_000

export function createProofRate(
  clock: Clock,
  limits: ProofRateLimits = defaultProofRate,
): ProofRate {
  const proofMs = 1000 / limits.perSecond
  const burstMs = limits.burst * proofMs
  /** Theoretical arrival time of each account (GCRA). */
  const arrivalTimes = new Map<string, number>()

  return {
    acquire(accountId, count, signal) {
      const now = clock.monotonic()
      const arrivalAt = Math.max(arrivalTimes.get(accountId) ?? 0, now) + count * proofMs
      setNewest(arrivalTimes, accountId, arrivalAt, accountsMax)
      const waitMs = arrivalAt - burstMs - now
      if (waitMs <= 0) return null
      const refund = (): void => {
        arrivalTimes.set(accountId, (arrivalTimes.get(accountId) ?? 0) - count * proofMs)
      }
      return waitFor(waitMs, clock, signal, refund)
    },
  }
}

function waitFor(
  ms: number,
  clock: Clock,
  signal: AbortSignal,
  onAbort: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      stop()
      onAbort()
      reject(signal.reason as Error)
    }
    const stop = clock.after(Math.ceil(ms), () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
