// A pause that an abort signal ends early.
// Tested by test/cli/import-pins.test.ts
import type { Clock } from '../../base/clock.ts'

/** Resolves after `ms`, or when `signal` aborts, whichever is first. */
export async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopTimer = clock.after(ms, resolve)
  signal.addEventListener('abort', () => resolve(), { once: true })
  try {
    if (!signal.aborted) await promise
  } finally {
    stopTimer()
  }
}
