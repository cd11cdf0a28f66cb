// The only access to time and timers, so that tests can control the clock. A server's clock logs and counts an error of a
// callback in one place, and the next period calls it again.
// Tested by src/http/server.test.ts
import type { Log } from './log.ts'

export interface Clock {
  /** Milliseconds since 1970 UTC; may jump. For displayed dates and block timestamps. */
  now(): number
  /** Milliseconds of a clock that never goes back. For rates, deadlines, durations. */
  monotonic(): number
  /** Calls `run` once after `delayMs`, or soon if that has passed; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, run: () => void): () => void
  /** Calls `run` every `periodMs`; the returned function stops it. Does not keep the process alive. */
  every(periodMs: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, run) {
    // Node prints a warning for a negative delay.
    const timer = setTimeout(run, Math.max(0, delayMs)).unref()
    return () => clearTimeout(timer)
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs).unref()
    return () => clearInterval(timer)
  },
}

/**
 * Resolves after `delayMs` and keeps the process alive until then, for commands that wait for a server. Rejects with the
 * abort reason of `signal`.
 */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, delayMs)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}

/** Log event for failed work outside any request; counted as `cairn_background_failures_total`. */
export const backgroundFailed = 'background_failed'

export function guardClock(clock: Clock, log: Log): Clock {
  const guarded = (run: () => void) => (): void => {
    try {
      run()
    } catch (error) {
      log('error', backgroundFailed, { in: 'timer', error })
    }
  }
  return {
    now: clock.now,
    monotonic: clock.monotonic,
    after: (delayMs, run) => clock.after(delayMs, guarded(run)),
    every: (periodMs, run) => clock.every(periodMs, guarded(run)),
  }
}

/**
 * Logs unhandled rejections and keeps the process running. Returns a function that removes the handler.
 */
export function logUnhandled(log: Log): () => void {
  const note = (error: unknown): void => log('error', backgroundFailed, { in: 'promise', error })
  process.on('unhandledRejection', note)
  return () => process.off('unhandledRejection', note)
}
