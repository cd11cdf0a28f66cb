// Per-key rate limits: units per second and day for JSON-RPC, commands per second for the IPFS API. Checked before the
// request runs, from in-memory counters.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { type Rate, overRate, returnUnits, takeUnits } from './rate-limit.ts'

/** Limits of one key; null = the server's default, 0 = none allowed. KeySettings has this shape. */
export type KeyLimits = {
  readonly unitsPerSecond: number | null
  readonly unitsPerDay: number | null
  readonly filesReadsPerSecond: number | null
  readonly filesWritesPerSecond: number | null
}

/** Defaults for keys whose own limit is null. */
export type KeyRates = Pick<
  KeyLimits,
  'unitsPerSecond' | 'filesReadsPerSecond' | 'filesWritesPerSecond'
>

const noRates: KeyRates = {
  unitsPerSecond: null,
  filesReadsPerSecond: null,
  filesWritesPerSecond: null,
}

export type Holder = { readonly keyId: string; readonly settings: KeyLimits }

export type Limiter = {
  /**
   * Charges the price of a whole request, or no units. Throws `over_burst` (can never pass), `over_rate`,
   * `over_quota`.
   */
  admitUnits(holder: Holder, units: number): void
  /** Takes units from the day alone. Throws `over_quota`. */
  chargeUnits(holder: Holder, units: number): void
  /** Gives back the units of answers that are free. */
  refundUnits(holder: Holder, units: number): void
  /** Takes one command. Throws `over_rate`; `refused_by_setting` where the limit is 0. */
  admitFiles(holder: Holder, commandClass: 'read' | 'write'): void
  /** Runs `admit`, then restores the counters of the key. */
  withoutTaking(holder: Holder, admit: () => void): void
  /** Remaining units and rate of a key. Read-only. */
  left(holder: Holder): UnitsLeft
}

/** Null: no limit. `atOnce`: of the rate's burst. `today`: until 00:00 UTC, `resetsAt` in milliseconds since 1970. */
export type UnitsLeft = {
  readonly atOnce: number | null
  readonly today: number | null
  readonly resetsAt: number
}

type State = {
  unitsEvenAt: number
  /** Rate with which `unitsEvenAt` was computed. */
  unitsPerSecond: number
  readsEvenAt: number
  writesEvenAt: number
  /** Start of the UTC day that `dayUnits` counts, or null: not counted yet. */
  day: number | null
  dayUnits: number
}

/** A full batch, 100 calls at the common price of 80, and 1 for the batch: a default burst lets it pass. */
const fullBatchUnits = 100 * 80 + 1
const dayMs = 24 * 60 * 60 * 1000
const keysMax = 100_000

/** The burst is the amount of one second, and at least a full batch. */
export function burstOf(unitsPerSecond: number): number {
  return unitsPerSecond === 0 ? 0 : Math.max(unitsPerSecond, fullBatchUnits)
}

/**
 * `unitsToday`: units charged to a key since 00:00 UTC, read once per key and day (and after a restart).
 * Beyond `keysMax` limited keys, the oldest counter is dropped.
 */
export function createLimiter(parts: {
  readonly clock: Clock
  readonly unitsToday: (keyId: string) => number
  readonly keysMax?: number
  /** Of keys without rates of their own, as of now. Default: none. */
  readonly rates?: () => KeyRates
}): Limiter {
  const { clock, unitsToday, rates = () => noRates } = parts
  const most = parts.keysMax ?? keysMax
  const states = new Map<string, State>()

  function stateOf(keyId: string): State {
    const known = states.get(keyId)
    if (known !== undefined) return known
    const evenAt = { unitsEvenAt: 0, readsEvenAt: 0, writesEvenAt: 0 }
    const state: State = { ...evenAt, unitsPerSecond: 0, day: null, dayUnits: 0 }
    setNewest(states, keyId, state, most)
    return state
  }

  function countDay(state: State, keyId: string): void {
    const now = clock.now()
    const day = now - (now % dayMs)
    if (state.day === day) return
    state.day = day
    state.dayUnits = unitsToday(keyId)
  }

  /** Units that are owed stay as many under another rate, but never more than its burst. */
  function changeRate(state: State, { perSecond, burst }: Rate): void {
    const now = clock.monotonic()
    const owed = Math.max(0, state.unitsEvenAt - now) * state.unitsPerSecond
    state.unitsEvenAt = now + Math.min(owed, burst * 1000) / perSecond
    state.unitsPerSecond = perSecond
  }

  return {
    admitUnits({ keyId, settings }, units) {
      const { unitsPerDay } = settings
      const unitsPerSecond = settings.unitsPerSecond ?? rates().unitsPerSecond
      if (unitsPerSecond === null && unitsPerDay === null) {
        const known = states.get(keyId)
        if (known !== undefined) known.day = null
        return
      }
      const state = stateOf(keyId)
      // Without a limit no units are counted: when a limit is set again, the day's sum is read again.
      if (unitsPerDay === null) state.day = null
      else {
        countDay(state, keyId)
        if (state.dayUnits + units > unitsPerDay) throw overQuota(unitsPerDay, state.day ?? 0)
      }
      if (unitsPerSecond !== null) {
        const rate = { perSecond: unitsPerSecond, burst: burstOf(unitsPerSecond) }
        if (units > rate.burst) throw overBurst(units, rate.burst)
        if (state.unitsPerSecond !== unitsPerSecond) changeRate(state, rate)
        state.unitsEvenAt = take(state.unitsEvenAt, units, rate, 'units')
      }
      if (unitsPerDay !== null) state.dayUnits += units
    },

    chargeUnits({ keyId, settings }, units) {
      const { unitsPerDay } = settings
      if (unitsPerDay === null) return
      const state = stateOf(keyId)
      countDay(state, keyId)
      if (state.dayUnits + units > unitsPerDay) throw overQuota(unitsPerDay, state.day ?? 0)
      state.dayUnits += units
    },

    refundUnits({ keyId, settings }, units) {
      const state = states.get(keyId)
      if (state === undefined) return
      const { unitsPerDay } = settings
      const unitsPerSecond = settings.unitsPerSecond ?? rates().unitsPerSecond
      // The rate may have been changed since they were taken.
      const perSecond = state.unitsPerSecond
      if (unitsPerSecond !== null && perSecond > 0) {
        const rate = { perSecond, burst: burstOf(perSecond) }
        state.unitsEvenAt = returnUnits(state.unitsEvenAt, units, rate)
      }
      if (unitsPerDay !== null) state.dayUnits = Math.max(0, state.dayUnits - units)
    },

    admitFiles({ keyId, settings }, commandClass) {
      const reading = commandClass === 'read'
      const perSecond = reading
        ? (settings.filesReadsPerSecond ?? rates().filesReadsPerSecond)
        : (settings.filesWritesPerSecond ?? rates().filesWritesPerSecond)
      if (perSecond === null) return
      if (perSecond === 0) {
        throw new Fault('refused_by_setting', { data: { reason: 'files' } })
      }
      const state = stateOf(keyId)
      const rate = { perSecond, burst: perSecond }
      const evenAt = reading ? state.readsEvenAt : state.writesEvenAt
      const taken = take(evenAt, 1, rate, `file ${commandClass}s`)
      if (reading) state.readsEvenAt = taken
      else state.writesEvenAt = taken
    },

    withoutTaking,
    left: (holder) => withoutTaking(holder, () => unitsLeft(holder)),
  }

  function unitsLeft({ keyId, settings }: Holder): UnitsLeft {
    const { unitsPerDay } = settings
    const unitsPerSecond = settings.unitsPerSecond ?? rates().unitsPerSecond
    const state = stateOf(keyId)
    if (unitsPerDay !== null) countDay(state, keyId)
    let atOnce: number | null = null
    if (unitsPerSecond !== null) {
      const rate = { perSecond: unitsPerSecond, burst: burstOf(unitsPerSecond) }
      if (unitsPerSecond > 0 && state.unitsPerSecond !== unitsPerSecond) changeRate(state, rate)
      const owedMs = Math.max(0, state.unitsEvenAt - clock.monotonic())
      atOnce = Math.max(0, Math.floor(rate.burst - (owedMs * unitsPerSecond) / 1000))
    }
    const today = unitsPerDay === null ? null : Math.max(0, unitsPerDay - state.dayUnits)
    return { atOnce, today, resetsAt: clock.now() - (clock.now() % dayMs) + dayMs }
  }

  function withoutTaking<T>({ keyId }: Holder, run: () => T): T {
    const known = states.get(keyId)
    const before = known === undefined ? null : { ...known }
    try {
      return run()
    } finally {
      if (before === null) states.delete(keyId)
      else states.set(keyId, before)
    }
  }

  function take(evenAt: number, units: number, rate: Rate, what: string): number {
    const verdict = takeUnits(evenAt, clock.monotonic(), units, rate)
    if (verdict.ok) return verdict.evenAt
    const details = `this key is limited to ${rate.perSecond} ${what} per second`
    throw overRate(rate, verdict, details)
  }
}

function overBurst(units: number, burst: number): Fault {
  return new Fault('over_burst', { detail: `request needs ${units} units, limit is ${burst}` })
}

function overQuota(unitsPerDay: number, day: number): Fault {
  return new Fault('over_quota', {
    data: {
      event: -33000,
      details: `this key is limited to ${unitsPerDay} units per day`,
      resets_at: new Date(day + dayMs).toISOString(),
    },
  })
}
