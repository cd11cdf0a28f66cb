// A rate for the proofs that calls of one account fetch: an account or a slot is one proof. Calls beyond it wait, so that one
// account cannot use up the upstreams.
// Tested by src/proved-calls/proof-rate.test.ts
import type { Clock } from '../base/clock.ts'
import { setNewest } from '../base/lru-cache.ts'

export type ProofRate = {
  /**
   * Takes `count` proofs. Null: at once; else resolves when the rate allows them. Rejects with `signal.reason`, and takes
   * none then.
   */
  acquire(accountId: string, count: number, signal: AbortSignal): Promise<void> | null
}

export type ProofRateLimits = {
  /** Of one account, on the long run. */
  readonly perSecond: number
  /** After a pause. */
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
  /** By account: when all that was taken so far is paid for (GCRA's theoretical arrival time). */
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
