// Per-key rate limits: units per second and day for JSON-RPC, commands per second for the IPFS API. Checks synchronously before the
// request runs, except if a share or the day's sum must be read first.
// Tested by src/access/limits/limiter.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { createMemoryShares } from './memory-shares.ts'
import { PeriodCount, type SharedCounters } from './period-count.ts'
import { type Rate, type RateRefusal, overRate } from './rate-limit.ts'
import { type RateShares, createShareSpender } from './rate-shares.ts'

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

/** Methods return a promise that rejects with the same faults if something must be read first. */
export type Limiter = {
  /**
   * Charges the price of a whole request, or nothing. Throws `over_burst` (can never pass), `over_rate`, `over_quota`.
   */
  admitUnits(holder: Holder, units: number): void | Promise<void>
  /** Charges units only to the day. Throws `over_quota`. Synchronous. */
  chargeUnits(holder: Holder, units: number): void
  /** Refunds the units of answers that are free. */
  refundUnits(holder: Holder, units: number): void
  /** Charges one command. Throws `over_rate`; `refused_by_setting` if the limit is 0. */
  admitFiles(holder: Holder, commandClass: 'read' | 'write'): void | Promise<void>
  /** As `admitUnits`, without a charge. */
  checkUnits(holder: Holder, units: number): void | Promise<void>
  /** As `admitFiles`, without a charge. */
  checkFiles(holder: Holder, commandClass: 'read' | 'write'): void | Promise<void>
  /** Remaining units and rate of a key. Read-only. */
  remaining(holder: Holder): Promise<RemainingUnits>
}

/** Null: no limit. `atOnce`: remaining burst of the rate. `today`: until 00:00 UTC, `resetsAt` in milliseconds since 1970. */
export type RemainingUnits = {
  readonly atOnce: number | null
  readonly today: number | null
  readonly resetsAt: number
}

type State = {
  /** Names of the key's buckets. */
  readonly units: string
  readonly reads: string
  readonly writes: string
  /** Null: not counted yet, or the key has no daily limit. */
  day: PeriodCount | null
  opening: Promise<void> | null
}

/** A full batch of 100 calls at the common price of 80, plus 1 for the batch: passes with the default burst. */
const fullBatchUnits = 100 * 80 + 1
const dayMs = 24 * 60 * 60 * 1000
const keysMax = 100_000

/** The burst is the amount of one second, and at least a full batch. */
export function burstOf(unitsPerSecond: number): number {
  return unitsPerSecond === 0 ? 0 : Math.max(unitsPerSecond, fullBatchUnits)
}

type LimiterParts = {
  readonly clock: Clock
  readonly unitsToday: (keyId: string) => number | Promise<number>
  readonly keysMax?: number
  /** Current rates for keys without their own. Default: none. */
  readonly rates?: () => KeyRates
  /** Default: only this process. */
  readonly shares?: RateShares
  /** Joins the units of a day with those of other processes. Default: only this process. */
  readonly counters?: SharedCounters | null
}

/**
 * `unitsToday`: units charged to a key since 00:00 UTC, read once per key and day (and after a restart).
 * Beyond `keysMax` limited keys, the oldest counter is dropped.
 */
export function createLimiter(parts: LimiterParts): Limiter {
  const { clock, rates = () => noRates } = parts
  const most = parts.keysMax ?? keysMax
  const shares = parts.shares ?? createMemoryShares({ clock, bucketsMax: 3 * most })
  const buckets = createShareSpender({ shares, clock, bucketsMax: 3 * most })
  const states = new Map<string, State>()
  const days = createDays(parts)

  function stateOf(keyId: string): State {
    const known = states.get(keyId)
    if (known !== undefined) return known
    const state: State = {
      units: `units ${keyId}`,
      reads: `reads ${keyId}`,
      writes: `writes ${keyId}`,
      day: null,
      opening: null,
    }
    setNewest(states, keyId, state, most)
    return state
  }

  function unitsRateOf(settings: KeyLimits): Rate | null {
    const perSecond = settings.unitsPerSecond ?? rates().unitsPerSecond
    return perSecond === null ? null : { perSecond, burst: burstOf(perSecond) }
  }

  /** `day` null: the daily limit does not apply. */
  function takeUnits(
    state: State,
    day: PeriodCount | null,
    rate: Rate | null,
    units: number,
  ): void | Promise<void> {
    if (rate === null) {
      day?.add(units)
      return
    }
    const refusal = buckets.spend(state.units, rate, units)
    if (!(refusal instanceof Promise)) {
      if (refusal !== null) throw overKeyRate(rate, refusal, 'units')
      day?.add(units)
      return
    }
    // Count before waiting: concurrent requests must not exceed the day's limit together.
    day?.add(units)
    return refusal.then(
      (found) => {
        if (found === null) return
        day?.add(-units)
        throw overKeyRate(rate, found, 'units')
      },
      (thrown: unknown) => {
        day?.add(-units)
        throw thrown
      },
    )
  }

  function checkUnits(
    state: State,
    _day: PeriodCount | null,
    rate: Rate | null,
    units: number,
  ): void | Promise<void> {
    if (rate === null) return
    return refuseOver(buckets.check(state.units, rate, units), rate, 'units')
  }

  function admit(
    { keyId, settings }: Holder,
    units: number,
    take: typeof takeUnits,
  ): void | Promise<void> {
    const { unitsPerDay } = settings
    const rate = unitsRateOf(settings)
    if (rate === null && unitsPerDay === null) {
      const known = states.get(keyId)
      if (known !== undefined) known.day = null
      return
    }
    const state = stateOf(keyId)
    if (unitsPerDay === null) {
      // Without a limit units are not counted: if a limit is set again, the day's sum is read again.
      state.day = null
      checkBurst(rate, units)
      return take(state, null, rate, units)
    }
    const reading = days.read(state, keyId)
    if (reading !== undefined) {
      return reading.then(() => admitInDay(state, unitsPerDay, rate, units, take))
    }
    return admitInDay(state, unitsPerDay, rate, units, take)
  }

  function admitInDay(
    state: State,
    unitsPerDay: number,
    rate: Rate | null,
    units: number,
    take: typeof takeUnits,
  ): void | Promise<void> {
    const { day } = state
    if (day !== null) checkDay(day, units, unitsPerDay)
    checkBurst(rate, units)
    return take(state, day, rate, units)
  }

  function filesRateOf({ settings }: Holder, commandClass: 'read' | 'write'): Rate | null {
    const perSecond =
      commandClass === 'read'
        ? (settings.filesReadsPerSecond ?? rates().filesReadsPerSecond)
        : (settings.filesWritesPerSecond ?? rates().filesWritesPerSecond)
    if (perSecond === 0) throw new Fault('refused_by_setting', { data: { reason: 'files' } })
    return perSecond === null ? null : { perSecond, burst: perSecond }
  }

  return {
    admitUnits: (holder, units) => admit(holder, units, takeUnits),
    checkUnits: (holder, units) => admit(holder, units, checkUnits),

    chargeUnits({ keyId, settings }, units) {
      const { unitsPerDay } = settings
      if (unitsPerDay === null) return
      const state = stateOf(keyId)
      const reading = days.read(state, keyId)
      const { day } = state
      // Until the day's sum is read, no request can be refused.
      if (day === null) void reading?.then(() => state.day?.add(units)).catch(() => {})
      else {
        checkDay(day, units, unitsPerDay)
        day.add(units)
      }
    },

    refundUnits({ keyId, settings }, units) {
      const state = states.get(keyId)
      if (state === undefined) return
      if (unitsRateOf(settings) !== null) buckets.give(state.units, units)
      const { day } = state
      if (settings.unitsPerDay !== null && day !== null) day.add(-Math.min(units, day.total))
    },

    admitFiles(holder, commandClass) {
      const rate = filesRateOf(holder, commandClass)
      if (rate === null) return
      const { reads, writes } = stateOf(holder.keyId)
      const refusal = buckets.spend(commandClass === 'read' ? reads : writes, rate, 1)
      return refuseOver(refusal, rate, `file ${commandClass}s`)
    },

    checkFiles(holder, commandClass) {
      const rate = filesRateOf(holder, commandClass)
      if (rate === null) return
      const { reads, writes } = stateOf(holder.keyId)
      const refusal = buckets.check(commandClass === 'read' ? reads : writes, rate, 1)
      return refuseOver(refusal, rate, `file ${commandClass}s`)
    },

    async remaining({ keyId, settings }) {
      const { unitsPerDay } = settings
      const rate = unitsRateOf(settings)
      const state = stateOf(keyId)
      if (unitsPerDay !== null) await days.read(state, keyId)
      let atOnce: number | null = null
      if (rate !== null) {
        const refillMs = rate.perSecond === 0 ? 0 : await buckets.refillMs(state.units, rate)
        atOnce = Math.max(0, Math.floor(rate.burst - (refillMs * rate.perSecond) / 1000))
      }
      const used = state.day?.total ?? 0
      const today = unitsPerDay === null ? null : Math.max(0, unitsPerDay - used)
      return { atOnce, today, resetsAt: clock.now() - (clock.now() % dayMs) + dayMs }
    },
  }
}

/** Loads the units of the current day. */
function createDays({ clock, unitsToday, counters = null }: LimiterParts) {
  async function open(
    state: State,
    keyId: string,
    start: number,
    reading: number | Promise<number>,
  ): Promise<void> {
    const charged = await reading
    const ends = start + dayMs
    const name = `day ${start / dayMs} ${keyId}`
    const joined = counters === null ? null : { counters, name, ends, clock }
    const day = new PeriodCount(start, charged, joined)
    await day.join()
    state.day = day
  }

  return {
    /** Undefined: `state.day` is today's and recent enough for a decision. */
    read(state: State, keyId: string): Promise<void> | undefined {
      const now = clock.now()
      const start = now - (now % dayMs)
      if (state.day?.start === start) return state.day.refresh()
      if (state.opening !== null) return state.opening
      const charged = unitsToday(keyId)
      if (counters === null && !(charged instanceof Promise)) {
        state.day = new PeriodCount(start, charged)
        return undefined
      }
      state.day = null
      state.opening = open(state, keyId, start, charged).finally(() => {
        state.opening = null
      })
      return state.opening
    },
  }
}

function refuseOver(
  refusal: RateRefusal | null | Promise<RateRefusal | null>,
  rate: Rate,
  what: string,
): void | Promise<void> {
  if (refusal instanceof Promise) return refusal.then((found) => refuseOver(found, rate, what))
  if (refusal !== null) throw overKeyRate(rate, refusal, what)
}

function overKeyRate(rate: Rate, refusal: RateRefusal, what: string): Fault {
  return overRate(rate, refusal, `this key is limited to ${rate.perSecond} ${what} per second`)
}

function checkDay(day: PeriodCount, units: number, unitsPerDay: number): void {
  if (day.total + units > unitsPerDay) throw overQuota(unitsPerDay, day.start)
}

function checkBurst(rate: Rate | null, units: number): void {
  if (rate === null || units <= rate.burst) return
  throw new Fault('over_burst', {
    detail: `request needs ${units} units, limit is ${rate.burst}`,
  })
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
