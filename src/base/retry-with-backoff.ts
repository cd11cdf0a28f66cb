// Retries with backoff: increasing pauses, a timeout for each attempt and for all of them.
// Tested by src/chain/chain-events.test.ts
import type { Clock } from './clock.ts'
import { withDeadline } from './deadline.ts'

export type RetryPolicy = {
  readonly clock: Clock
  /** Timeout of one attempt. */
  readonly tryMs: number
  /** The first pause; each following one is twice as long, up to `waitMsMax`. */
  readonly waitMs: number
  readonly waitMsMax: number
  /** No attempt begins later than this after the first. */
  readonly patienceMs: number
  /** True for errors that a retry cannot fix. */
  readonly isFinal: (thrown: unknown) => boolean
}

/** Returns the result of `work`. Throws its last error, or `signal.reason` as soon as an attempt or a pause is aborted. */
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
