// Many deadlines of one length on one timer: starting and stopping one costs a place in a set, not a timer.
// In order of start they are in order of time, so each look stops at the first that is not due.
import type { Clock } from '../base/clock.ts'

export type Deadlines = {
  /** Calls `late` once when the time is up, at most an eighth of it (and never over 250 ms) too late. */
  start(late: () => void): { stop(): void }
}

/** The timer runs only while something waits. */
export function createDeadlines(delayMs: number, clock: Clock): Deadlines {
  const periodMs = Math.max(1, Math.min(250, delayMs / 8))
  const running = new Set<RunningDeadline>()
  let stopTimer: (() => void) | null = null

  function look(): void {
    const now = clock.monotonic()
    for (const deadline of running) {
      if (deadline.dueAt > now) return
      running.delete(deadline)
      deadline.late()
    }
    // Only here, not at every stop: under load the set is empty many times a second.
    stopTimer?.()
    stopTimer = null
  }

  class RunningDeadline {
    readonly dueAt = clock.monotonic() + delayMs
    readonly late: () => void
    constructor(late: () => void) {
      this.late = late
    }
    stop(): void {
      running.delete(this)
    }
  }

  return {
    start(late) {
      const deadline = new RunningDeadline(late)
      running.add(deadline)
      stopTimer ??= clock.every(periodMs, look)
      return deadline
    },
  }
}

/** The same for at most `most` at a time: one more ends the one that started first. */
export function boundedDeadlines(deadlines: Deadlines, most: number): Deadlines {
  const running = new Map<() => void, { stop(): void }>()
  return {
    start(late) {
      const end = (): void => {
        running.get(end)?.stop()
        running.delete(end)
        late()
      }
      const [oldest] = running.keys()
      if (running.size >= most) oldest?.()
      running.set(end, deadlines.start(end))
      return {
        stop() {
          running.get(end)?.stop()
          running.delete(end)
        },
      }
    },
  }
}

/** The same with a length that may change: what has started keeps its own. */
export function liveDeadlines(delayMs: () => number, clock: Clock): Deadlines {
  let length = delayMs()
  let deadlines = createDeadlines(length, clock)
  return {
    start(late) {
      const now = delayMs()
      if (now !== length) {
        length = now
        deadlines = createDeadlines(length, clock)
      }
      return deadlines.start(late)
    },
  }
}
