// A manual Clock for tests: `advance` advances it and runs due timers in order of their time.
import type { Clock } from '../../src/base/clock.ts'

export type ManualClock = Clock & {
  advance(ms: number): void
  /** Number of pending timers. */
  readonly timers: number
}

type Timer = { at: number; readonly periodMs: number | null; readonly run: () => void }

export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = new Set<Timer>()
  let elapsed = 0

  function start(delayMs: number, periodMs: number | null, run: () => void): () => void {
    const timer = { at: elapsed + delayMs, periodMs, run }
    timers.add(timer)
    return () => timers.delete(timer)
  }

  function next(until: number): Timer | null {
    let first: Timer | null = null
    for (const timer of timers) {
      if (timer.at <= until && (first === null || timer.at < first.at)) first = timer
    }
    return first
  }

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    after: (delayMs, run) => start(delayMs, null, run),
    every: (periodMs, run) => start(periodMs, periodMs, run),
    get timers() {
      return timers.size
    },
    advance(ms) {
      const until = elapsed + ms
      for (let timer = next(until); timer !== null; timer = next(until)) {
        elapsed = timer.at
        if (timer.periodMs === null) timers.delete(timer)
        else timer.at += timer.periodMs
        timer.run()
      }
      elapsed = until
    },
  }
}
