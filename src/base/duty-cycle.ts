// Work that nobody waits for goes on in steps. While others write it takes a twentieth of the time, since each of its steps
// is in the way of a write that comes meanwhile; alone it goes on at once.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

export type DutyCycle = {
  /**
   * Runs one step of a millisecond or two, which hands in `own` writes, and rests after it. The rest ends early with the
   * signal, and never lasts longer than 200 ms: what goes on in steps comes to its end.
   */
  step<T>(own: number, work: () => T | Promise<T>, signal: AbortSignal): Promise<T>
}

/** Of what the step took. */
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
      // Work that begins anew: what was written since it rested says nothing of now.
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
