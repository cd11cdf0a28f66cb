// Limits background work in steps to 5 % of the time while others write, because each step delays concurrent writes.
// Without other writes the steps run without pause.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

export type DutyCycle = {
  /**
   * Runs one step of a millisecond or two, which reports its `own` writes, and pauses after it. The pause ends early with
   * the signal and takes at most 200 ms, so the work always completes.
   */
  step<T>(own: number, work: () => T | Promise<T>, signal: AbortSignal): Promise<T>
}

/** Multiple of the step's duration. */
const restFactor = 19
const restMaxMs = 200
/** So long after a write of others the next one is expected. */
const busyMs = 1000

/** `taken`: how many writes were handed in so far, those of the steps among them. */
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
      // Restarted work: writes since its last pause are not evidence of current load.
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
