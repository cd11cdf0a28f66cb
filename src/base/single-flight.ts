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

type Flight<Result> = {
  readonly result: Promise<Result>
  readonly controller: AbortController
  waiters: number
}

export function createSingleFlight<Result>(limits: {
  readonly keysMax: number
}): SingleFlight<Result> {
  const flights = new Map<string, Flight<Result>>()

  function leaveMap(key: string, flight: Flight<Result>): void {
    // After this entry was removed, a newer one may have the same key.
    if (flights.get(key) === flight) flights.delete(key)
  }

  function start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    if (flights.size >= limits.keysMax) throw new Fault('overloaded')
    const controller = new AbortController()
    const result = work(controller.signal)
    const flight: Flight<Result> = { result, controller, waiters: 0 }
    flights.set(key, flight)
    const settled = (): void => leaveMap(key, flight)
    result.then(settled, settled)
    return flight
  }

  return {
    get size() {
      return flights.size
    },
    async join(key, signal, work) {
      signal.throwIfAborted()
      const flight = flights.get(key) ?? start(key, work)
      flight.waiters++
      try {
        return await untilAborted(flight.result, signal)
      } finally {
        flight.waiters--
        if (flight.waiters === 0 && flights.get(key) === flight) {
          // Remove the entry before the work reacts to the abort, so the next caller starts a new execution.
          leaveMap(key, flight)
          flight.controller.abort(signal.reason)
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
