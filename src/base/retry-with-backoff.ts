// Retries with backoff: increasing pauses, a time limit for each attempt and for all of them.
// Tested by src/chain/chain-events.test.ts
import type { Clock } from './clock.ts'
import { withDeadline } from './deadline.ts'

export type RetryPolicy = {
  readonly clock: Clock
  /** One try. */
  readonly tryMs: number
  /** The first wait; each next one is twice as long, up to `waitMsMax`. */
  readonly waitMs: number
  readonly waitMsMax: number
  /** No try begins later than this after the first. */
  readonly patienceMs: number
  /** A retry cannot succeed. */
  readonly isFinal: (thrown: unknown) => boolean
}

/** What `work` gives in the end. Throws its last error, or `signal.reason` as soon as a try or a wait notices. */
export async function retryWithBackoff<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, tryMs, waitMs, waitMsMax, patienceMs, isFinal }: RetryPolicy,
  signal: AbortSignal,
): Promise<T> {
  const endsAt = clock.monotonic() + patienceMs
  for (let pauseMs = waitMs; ; pauseMs = Math.min(2 * pauseMs, waitMsMax)) {
    try {
      using deadline = withDeadline(signal, tryMs, clock)
      return await work(deadline.signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (isFinal(thrown) || clock.monotonic() + pauseMs > endsAt) throw thrown
    }
    await waitFor(pauseMs, clock, signal)
  }
}

/** Rejects with `signal.reason` when it aborts. */
export function waitFor(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stop()
      reject(signal.reason as Error)
    }
    const stop = clock.after(ms, () => {
      signal.removeEventListener('abort', leave)
      resolve()
    })
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}
