// The only access to time and timers, so that tests can control the clock.
// Tested by src/http/server.test.ts

export interface Clock {
  /** Milliseconds since 1970 UTC; may jump. For dates people see and for block timestamps. */
  now(): number
  /** Milliseconds on a clock that never goes back. For rates, deadlines, durations. */
  monotonic(): number
  /** Calls `run` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, run: () => void): () => void
  /** Calls `run` every `periodMs`; the returned function stops it. Does not keep the process alive. */
  every(periodMs: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs).unref()
    return () => clearInterval(timer)
  },
}

/** Resolves after `delayMs` and keeps the process alive until then: for commands that wait for a server. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
