// Single-flight: concurrent callers with the same key share one execution. It is aborted only when its last caller has
// aborted.
import { Fault } from './fault.ts'

export type SingleFlight<Result> = {
  /**
   * Joins the running work for `key`, or starts `work`. Rejects with `signal.reason` as soon as the caller's own signal
   * aborts; other callers continue to wait. The work's signal aborts when no caller is left; the next caller then starts new
   * work. Throws `overloaded` if too many keys are in flight.
   */
  join(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
  /** Number of keys in flight. */
  readonly size: number
}

type Seat<Result> = {
  readonly result: Promise<Result>
  readonly controller: AbortController
  waiters: number
}

export function createSingleFlight<Result>(limits: {
  readonly keysMax: number
}): SingleFlight<Result> {
  const seats = new Map<string, Seat<Result>>()

  function leaveMap(key: string, seat: Seat<Result>): void {
    // After this entry was removed, a newer one may have the same key.
    if (seats.get(key) === seat) seats.delete(key)
  }

  function start(key: string, work: (signal: AbortSignal) => Promise<Result>): Seat<Result> {
    if (seats.size >= limits.keysMax) throw new Fault('overloaded')
    const controller = new AbortController()
    const result = work(controller.signal)
    const seat: Seat<Result> = { result, controller, waiters: 0 }
    seats.set(key, seat)
    const settled = (): void => leaveMap(key, seat)
    result.then(settled, settled)
    return seat
  }

  return {
    get size() {
      return seats.size
    },
    async join(key, signal, work) {
      signal.throwIfAborted()
      const seat = seats.get(key) ?? start(key, work)
      seat.waiters++
      try {
        return await untilAborted(seat.result, signal)
      } finally {
        seat.waiters--
        if (seat.waiters === 0 && seats.get(key) === seat) {
          // Remove the entry before the work reacts to the abort, so the next caller starts a new execution.
          leaveMap(key, seat)
          seat.controller.abort(signal.reason)
        }
      }
    },
  }
}

/** The result, or `signal.reason` if the signal aborts first. Removes its listener. */
async function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const leave = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', leave, { once: true })
  result.then(resolve, reject)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
