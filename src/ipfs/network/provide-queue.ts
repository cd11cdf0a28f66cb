// The rows of `provide` as a queue: which multihashes are announced next, and when they are announced again. The rows are the whole
// state, except for running announcements, which are tracked in memory and repeated after a crash.
// Tested by src/ipfs/network/provide-plan.test.ts
import type { Provide } from '../../base/provide.ts'
import type { Clock } from '../../base/clock.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import {
  countDue,
  listDue,
  newDueMax,
  type ProvideRow,
  setDue,
} from '../../tables/network/provide.ts'
import {
  earlyOf,
  kadOf,
  nextAfter,
  phaseAfter,
  placeOf,
  regionBits,
  regionOf,
} from './provide-times.ts'

export type ProvideSettings = {
  /** The widest `provide` level that the server permits. */
  readonly strategy: Provide
  /** Between two announcements of a multihash. */
  readonly intervalMs: number
  /** Maximum number of multihashes that are announced each interval. */
  readonly cidsMax: number
}

/** A part of the keyspace: keys (sha256 of the multihash) whose first `bits` bits are the number `prefix`. */
export type Region = { readonly bits: number; readonly prefix: number }

/** `region`: contains all rows; null: the rows may be in any region. */
export type ProvideBatch = { readonly rows: readonly ProvideRow[]; readonly region: Region | null }

export type ProvideCounts = {
  /** Multihashes that are due. */
  readonly due: number
  /** Multihashes that are overdue by more than a quarter of the interval. */
  readonly late: number
  /** Multihashes that are not announced because of `cidsMax`. */
  readonly over: number
  /** Multihashes that are announced each interval. */
  readonly planned: number
}

const batchMax = 100
/** Rows that get their first phase in one write. */
const spreadMax = 1000
/**
 * If there are more new rows than this, the others wait for their phase, so that the next pin is not announced after all of them.
 */
const newMax = 500
const triesMax = 3
const retryMs = 60_000
const retryLaterMs = 3_600_000
/** Above this number of multihashes, the peers of a region are found once for all of its multihashes. */
const regionsFrom = 5_000
const regionBatchMax = 1000
/** How long a count of the planned multihashes is reused. */
const countMs = 60_000
const farthest = Number.MAX_SAFE_INTEGER

const placed = ({ multihash }: ProvideRow): number => placeOf(kadOf(multihash))

export class ProvideQueue {
  readonly #rows: Rows
  readonly #settings: () => ProvideSettings
  readonly #clock: Pick<Clock, 'now'>
  /** Running announcements, as `toLatin1` of their multihashes, with their times. */
  readonly #underWay = new Map<string, number>()
  #planned: { readonly at: number; readonly count: number } | null = null

  constructor(rows: Rows, settings: () => ProvideSettings, clock: Pick<Clock, 'now'>) {
    this.#rows = rows
    this.#settings = settings
    this.#clock = clock
  }

  /** Counts from the rows. */
  async counts(): Promise<ProvideCounts> {
    const now = this.#clock.now()
    const { intervalMs, cidsMax } = this.#settings()
    const planned = await this.#countPlanned()
    const unplanned = await this.#count(0, newDueMax)
    const open = Math.min(unplanned, Math.max(0, cidsMax - planned))
    const due = open + (await this.#count(newDueMax + 1, now))
    const late = await this.#count(newDueMax + 1, Math.floor(now - intervalMs / 4))
    return { due, late, over: unplanned - open, planned }
  }

  /** Corrects times: after clock changes, and if there are many new rows at once. */
  async arrange(signal: AbortSignal): Promise<void> {
    await this.#bringBack(signal)
    await this.#spreadNew(signal)
  }

  /** Returns the next rows to announce; none: nothing is due. They count as running until `release`. One call at a time. */
  async take(): Promise<ProvideBatch> {
    const fresh = await this.#list(0, newDueMax, batchMax)
    const permitted = fresh.length === 0 ? 0 : (await this.#room()) - this.#newUnderWay
    if (permitted > 0) return this.#hold({ rows: fresh.slice(0, permitted), region: null })
    return this.#hold(await this.#nextDue())
  }

  release({ rows }: ProvideBatch): void {
    for (const { multihash } of rows) this.#underWay.delete(toLatin1(multihash))
  }

  /** Records that the rows were announced now. `codes`: one for each row, 0 for success; a missing code is a failure. */
  async settle(rows: readonly ProvideRow[], codes: ArrayLike<number>): Promise<void> {
    const now = this.#clock.now()
    await this.#put(
      rows.map((row, at) => {
        if (codes[at] === 0) return { ...this.#waiting(row, now), announced: now }
        const tried = row.tried + 1
        const waitMs = tried % triesMax === 0 ? retryLaterMs : retryMs
        return { ...row, due: now + waitMs, tried }
      }),
    )
  }

  /** Moves the rows to their next time without an announcement. */
  async skip(rows: readonly ProvideRow[]): Promise<void> {
    const now = this.#clock.now()
    await this.#put(rows.map((row) => this.#waiting(row, now)))
  }

  /** The row with its next time. */
  #waiting(row: ProvideRow, now: number): ProvideRow {
    const due = nextAfter(placed(row), now, this.#settings().intervalMs)
    return { ...row, due, tried: 0 }
  }

  async #nextDue(): Promise<ProvideBatch> {
    const now = this.#clock.now()
    const none: ProvideBatch = { rows: [], region: null }
    if ((await this.#list(newDueMax + 1, now, 1)).length === 0) return none
    const planned = await this.#plannedLately(now)
    const isMany = planned > regionsFrom
    const until = now + earlyOf(this.#settings().intervalMs)
    const due = await this.#list(newDueMax + 1, until, isMany ? regionBatchMax : batchMax)
    const excess = planned - this.#settings().cidsMax
    if (excess > 0) {
      // `cidsMax` was lowered: the excess rows become new rows.
      this.#planned = null
      await this.#put(due.slice(0, excess).map((row) => ({ ...row, due: newDueMax, tried: 0 })))
      return { rows: due.slice(excess), region: null }
    }
    if (!isMany) return { rows: due, region: null }
    const prefixes = due.map(({ multihash }) => regionOf(kadOf(multihash), regionBits))
    const [prefix = 0] = prefixes
    const rows = due.filter((_, at) => prefixes[at] === prefix)
    return { rows, region: { bits: regionBits, prefix } }
  }

  /** Corrects rows whose time is further away than the interval: the clock was set back, or the interval was shortened. */
  async #bringBack(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const { intervalMs } = this.#settings()
    for (;;) {
      const from = now + intervalMs + earlyOf(intervalMs) + 1
      const far = await this.#list(from, farthest, batchMax)
      await this.#putAtPhase(far, now)
      if (far.length < batchMax || signal.aborted) return
    }
  }

  /** If there are many new rows, gives all but the first ones their phase, without an immediate announcement. */
  async #spreadNew(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    if ((await this.#list(0, newDueMax, newMax + 1)).length <= newMax) return
    let waiting = (await this.#room()) - newMax
    while (waiting > 0 && !signal.aborted) {
      const most = newMax + Math.min(spreadMax, waiting)
      const some = (await this.#list(0, newDueMax, most)).slice(newMax)
      if (some.length === 0) return
      await this.#putAtPhase(some, now)
      waiting -= some.length
    }
  }

  async #putAtPhase(rows: readonly ProvideRow[], now: number): Promise<void> {
    const { intervalMs } = this.#settings()
    await this.#put(rows.map((row) => ({ ...row, due: phaseAfter(placed(row), now, intervalMs) })))
  }

  async #put(rows: readonly ProvideRow[]): Promise<void> {
    if (rows.length > 0) await this.#rows.write(rows.map(setDue))
  }

  get #rootsOnly(): boolean {
    return this.#settings().strategy !== 'all'
  }

  get #newUnderWay(): number {
    return [...this.#underWay.values()].filter((due) => due <= newDueMax).length
  }

  /** A count that is at most a minute old, because counting reads every row. */
  async #plannedLately(now: number): Promise<number> {
    const known = this.#planned
    if (known !== null && Math.abs(now - known.at) < countMs) return known.count
    const count = await this.#countPlanned()
    this.#planned = { at: now, count }
    return count
  }

  /** Number of new multihashes that `cidsMax` still permits. */
  async #room(): Promise<number> {
    return this.#settings().cidsMax - (await this.#countPlanned())
  }

  async #countPlanned(): Promise<number> {
    return await this.#count(newDueMax + 1, farthest)
  }

  async #count(from: number, until: number): Promise<number> {
    return (await this.#rows.first(countDue(this.#rootsOnly, from, until)))?.count ?? 0
  }

  /** Rows that are not being announced, by time. */
  async #list(from: number, until: number, most: number): Promise<readonly ProvideRow[]> {
    const limit = most + this.#underWay.size
    const found = await this.#rows.find(listDue(this.#rootsOnly, { from, until, limit }))
    return found.filter(({ multihash }) => !this.#underWay.has(toLatin1(multihash))).slice(0, most)
  }

  #hold(batch: ProvideBatch): ProvideBatch {
    for (const { multihash, due } of batch.rows) this.#underWay.set(toLatin1(multihash), due)
    return batch
  }
}
