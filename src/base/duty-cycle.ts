// Limits stepwise background work to 5 % of the time while other tasks write, because each step delays concurrent writes. Without
// other writes the steps run without pauses.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

export type DutyCycle = {
  /**
   * Runs one step of a millisecond or two, which makes `own` writes, and then pauses. The pause ends when the signal aborts, and
   * takes at most 200 ms, so the work always completes.
   */
  step<T>(own: number, work: () => T | Promise<T>, signal: AbortSignal): Promise<T>
}

/** Multiple of the step's duration. */
const restFactor = 19
const restMaxMs = 200
/** Time after another task's write during which more writes are expected. */
const busyMs = 1000

/** `taken`: returns the number of writes so far, including those of the steps. */
export function createDutyCycle({
  clock,
  taken,
}: {
  readonly clock: Clock
  readonly taken: () => number
}): DutyCycle {
  let known = taken()
  let busyUntil = Number.NEGATIVE_INFINITY
  let lastEnded = clock.monotonic()

  return {
    async step(own, work, signal) {
      const begun = clock.monotonic()
      // The work was idle: writes since its last pause do not show the current load.
      if (begun - lastEnded > busyMs) known = taken()
      try {
        return await work()
      } finally {
        const ended = clock.monotonic()
        lastEnded = ended
        if (taken() > known + own) busyUntil = ended + busyMs
        known = taken()
        const restMs = Math.min((ended - begun) * restFactor, restMaxMs)
        if (ended < busyUntil && restMs > 0) await rest(clock, restMs, signal)
        else await setImmediate()
      }
    },
  }
}

function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stop = clock.after(ms, end)
    signal.addEventListener('abort', end)
  })
}
