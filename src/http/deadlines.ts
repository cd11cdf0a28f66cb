// Many deadlines of the same length on one timer: starting or stopping one costs a set entry, not a timer. Entries are in order of
// time, so each check stops at the first that is not due.
import type { Clock } from '../base/clock.ts'

export type Deadlines = {
  /** Calls `late` once after the time has passed, at most an eighth of it plus 250 ms late. */
  start(late: () => void): { stop(): void }
}

/** The timer runs only while a deadline runs. */
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
    // The timer stops here and not when a deadline stops: under load the set becomes empty many times a second.
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

/** At most `most` deadlines at a time: starting one more stops the oldest. */
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

/** Deadlines of a configurable length: started ones keep their length. */
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
