// A clock for time limits: it counts the time in which this process runs. A process that waits for a processor cannot read the
// answers that have arrived, so that time must not count as silence of a peer or a router.
// Tested by src/ipfs/network/child/running-clock.test.ts
import type { Clock } from '../../../base/clock.ts'

export type RunningClock = Clock & {
  /** Milliseconds that were not counted. */
  readonly lostMs: number
}

const tickMs = 100
/** At most this much counts between two ticks. */
const tickMsMax = 200

/** `now` and `every` are those of `clock`. `monotonic` and `after` leave out the time between ticks that came late. */
export function createRunningClock(clock: Clock): RunningClock {
  let seen = clock.monotonic()
  let lostMs = 0

  function monotonic(): number {
    const now = clock.monotonic()
    lostMs += Math.max(0, now - seen - tickMsMax)
    seen = now
    return now - lostMs
  }

  clock.every(tickMs, monotonic)
  return {
    now: clock.now,
    monotonic,
    after(delayMs, run) {
      const end = monotonic() + delayMs
      let stop = clock.after(delayMs, check)
      function check(): void {
        const left = end - monotonic()
        if (left <= 0) run()
        else stop = clock.after(left, check)
      }
      return () => stop()
    },
    every: clock.every,
    get lostMs() {
      return lostMs
    },
  }
}
