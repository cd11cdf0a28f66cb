// Quarantine of a faulty upstream: no requests for a minute, doubled each time, up to an hour. After that it receives
// only requests that another upstream answers too, until 20 of its replies in a row were proved.
import type { Clock } from '../../../base/clock.ts'

/** `free`; `shut`: no requests; `proving`: the time has passed, its replies are canaries. */
type QuarantineState = 'free' | 'shut' | 'proving'

export type Quarantine = {
  /** An invalid reply: starts the quarantine, unless it is shut already. */
  lie(): void
  /** One of its replies was proved. Counts while it is proving; true if this releases it. */
  prove(): boolean
  readonly state: QuarantineState
  /** Time that it remains shut, milliseconds. */
  readonly leftMs: number
  /** Canaries it still owes before its release. */
  readonly owed: number
}

const quarantineLimits = {
  firstMs: 60_000,
  mostMs: 3_600_000,
  provesNeeded: 20,
  /** After this time without an invalid reply, the next one counts as the first. */
  forgottenMs: 24 * 3_600_000,
} as const

export function createQuarantine(clock: Clock, limits = quarantineLimits): Quarantine {
  let owed = 0
  let until = 0
  let nextMs: number = limits.firstMs
  let liedAt = 0

  function stateNow(): QuarantineState {
    if (owed === 0) return 'free'
    return clock.monotonic() < until ? 'shut' : 'proving'
  }

  return {
    lie() {
      const now = clock.monotonic()
      if (stateNow() === 'shut') return
      if (now - liedAt >= limits.forgottenMs) nextMs = limits.firstMs
      liedAt = now
      until = now + nextMs
      nextMs = Math.min(nextMs * 2, limits.mostMs)
      owed = limits.provesNeeded
    },
    prove() {
      if (stateNow() !== 'proving') return false
      owed--
      return owed === 0
    },
    get state() {
      return stateNow()
    },
    get leftMs() {
      return Math.max(0, until - clock.monotonic())
    },
    get owed() {
      return owed
    },
  }
}
