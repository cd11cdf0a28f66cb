// Where an upstream goes that lied: for a minute it is asked nothing, twice as long each next time, up to an hour.
// Then it is asked only what another one has answered too, until it has proved twenty answers in a row.
import type { Clock } from '../../../base/clock.ts'

/** `free`; `shut`: asked nothing; `proving`: the time is up, its answers are canaries. */
type QuarantineState = 'free' | 'shut' | 'proving'

export type Quarantine = {
  /** It lied: shut, unless it is already. */
  lie(): void
  /** One of its answers was proved. Counts while it is proving; true when it is free by that. */
  prove(): boolean
  readonly state: QuarantineState
  /** How long it is still shut, milliseconds. */
  readonly leftMs: number
  /** Canaries it still owes before it is free. */
  readonly owed: number
}

const quarantineLimits = {
  firstMs: 60_000,
  mostMs: 3_600_000,
  provesNeeded: 20,
  /** So long without a lie, and the next one counts as the first. */
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
