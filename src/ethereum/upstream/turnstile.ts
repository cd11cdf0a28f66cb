// How many calls an upstream is sent at once and in a second. Who finds no place waits in a bounded line, in order.
import type { Clock } from '../../base/clock.ts'

export type TurnstileLimits = {
  /** Calls at once. */
  readonly concurrency: number
  /** Calls in a second, on the long run; null: any number. */
  readonly perSecond: number | null
  /** Calls that may wait. */
  readonly waitingMax: number
}

export type Turnstile = {
  /** Takes a place now, or says that there is none. */
  tryEnter(): boolean
  /** Waits for a place. Null at once when the line is full. Rejects with `signal.reason`. */
  enter(signal: AbortSignal): Promise<void> | null
  /** Gives the place back. */
  leave(): void
  readonly entered: number
  readonly waiting: number
}

type Waiter = {
  readonly admit: () => void
  readonly signal: AbortSignal
}

/** A second's worth at once, as an idle minute must not earn a flood. */
export function createTurnstile(limits: TurnstileLimits, clock: Clock): Turnstile {
  const line = new Set<Waiter>()
  const intervalMs = limits.perSecond === null ? 0 : 1000 / limits.perSecond
  const burstMs = Math.max(1000 - intervalMs, 0)
  let entered = 0
  /** When all that was sent so far is paid for (GCRA's theoretical arrival time). */
  let paidAt = 0
  let stopTimer: (() => void) | null = null

  function waitMs(): number {
    return Math.max(0, paidAt - burstMs - clock.monotonic())
  }

  function take(): void {
    entered++
    paidAt = Math.max(paidAt, clock.monotonic()) + intervalMs
  }

  function admitNext(): void {
    for (const waiter of line) {
      if (entered >= limits.concurrency) return
      const ms = waitMs()
      if (ms > 0) {
        stopTimer ??= clock.after(Math.ceil(ms), () => {
          stopTimer = null
          admitNext()
        })
        return
      }
      line.delete(waiter)
      take()
      waiter.admit()
    }
  }

  return {
    get entered() {
      return entered
    },
    get waiting() {
      return line.size
    },
    tryEnter() {
      if (entered >= limits.concurrency || line.size > 0 || waitMs() > 0) return false
      take()
      return true
    },
    enter(signal) {
      if (line.size >= limits.waitingMax) return null
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waiter: Waiter = {
        signal,
        admit: () => {
          signal.removeEventListener('abort', leaveLine)
          resolve()
        },
      }
      const leaveLine = (): void => {
        line.delete(waiter)
        reject(signal.reason as Error)
      }
      if (signal.aborted) {
        reject(signal.reason as Error)
        return promise
      }
      signal.addEventListener('abort', leaveLine, { once: true })
      line.add(waiter)
      admitNext()
      return promise
    },
    leave() {
      entered--
      admitNext()
    },
  }
}
