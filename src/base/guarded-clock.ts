// Timers of a server that must not crash: an error of a callback is logged and counted in one place, and the next period
// calls it again.
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** Event of the log for work outside of any request that failed; counted as `cairn_background_failures_total`. */
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
 * Promises of the process that reject and that no code waits for are logged, and the process goes on. Returns what takes
 * this back.
 */
export function logUnhandled(log: Log): () => void {
  const note = (error: unknown): void => log('error', backgroundFailed, { in: 'promise', error })
  process.on('unhandledRejection', note)
  return () => process.off('unhandledRejection', note)
}
