// Waits for a condition instead of a fixed time.
import { pause, systemClock } from '../../src/base/clock.ts'

const pollMs = 5

/** Repeats `check` until it does not throw; throws its last error after `withinMs`. */
export async function until(check: () => Promise<void> | void, withinMs = 10_000): Promise<void> {
  const end = systemClock.monotonic() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (systemClock.monotonic() > end) throw error
    }
    await pause(pollMs)
  }
}
