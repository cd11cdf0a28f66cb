// Limits stepwise background work to 5 % of the time while other tasks write, because each step delays concurrent writes. Without
// other writes the steps run without pauses.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

export type DutyCycle = {
  /**
   * Runs one step of a millisecond or two, which makes `ownWrites` writes, and then pauses. The pause ends when the signal aborts,
   * and takes at most 200 ms, so the work always completes.
   */
  step<T>(ownWrites: number, work: () => T | Promise<T>, signal: AbortSignal): Promise<T>
}

/** Multiple of the step's duration. */
const pauseFactor = 19
const pauseMaxMs = 200
/** Time after another task's write during which more writes are expected. */
const busyMs = 1000

/** `writeCount`: returns the number of writes so far, including those of the steps. */
export function createDutyCycle({
  clock,
  writeCount,
}: {
  readonly clock: Clock
  readonly writeCount: () => number
}): DutyCycle {
  let knownWrites = writeCount()
  let busyUntil = Number.NEGATIVE_INFINITY
  let lastEndedAt = clock.monotonic()

  return {
    async step(ownWrites, work, signal) {
      const startedAt = clock.monotonic()
      // The work was idle: writes since its last pause do not show the current load.
      if (startedAt - lastEndedAt > busyMs) knownWrites = writeCount()
      try {
        return await work()
      } finally {
        const endedAt = clock.monotonic()
        lastEndedAt = endedAt
        if (writeCount() > knownWrites + ownWrites) busyUntil = endedAt + busyMs
        knownWrites = writeCount()
        const pauseMs = Math.min((endedAt - startedAt) * pauseFactor, pauseMaxMs)
        if (endedAt < busyUntil && pauseMs > 0) await pause(clock, pauseMs, signal)
        else await setImmediate()
      }
    },
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
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
