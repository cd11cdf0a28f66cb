// Schedules announcements: new roots immediately, then each multihash once per interval at its phase (provide-times.ts). The rows
// are the whole state: a restart continues from them, and unpinned content has no row.
// Tested by src/ipfs/network/provide-plan.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import {
  type ProvideBatch,
  type ProvideCounts,
  ProvideQueue,
  type ProvideSettings,
  type Region,
} from './provide-queue.ts'

/**
 * Announces multihashes and returns a code for each, 0: success. Rejects if nothing was announced because the network is down.
 * `region`: contains all of the multihashes, so that its peers are found once.
 */
type Announce = (
  multihashes: readonly Uint8Array[],
  options: { readonly region: Region | null; readonly signal: AbortSignal },
) => Promise<ArrayLike<number>>

/** `done`, `failed`: announcements since the start. */
export type ProvideStat = ProvideCounts & { readonly done: number; readonly failed: number }

export type ProvidePlan = {
  stat(): Promise<ProvideStat>
  /** Announces all due multihashes, as the timer does each second. Resolves when none is due; never rejects. */
  announceDue(): Promise<void>
  /** Resolves when no announcement is running. */
  stop(): Promise<void>
}

export type ProvideParts = {
  /** Only the machine that holds the lease uses the rows of a shared database. */
  readonly rows: Rows
  readonly announce: Announce
  /** Whether a deny rule applies; the multihash is then skipped until its next time. */
  readonly isDenied: (multihash: Uint8Array) => boolean
  /** Current settings. */
  readonly settings: () => ProvideSettings
  readonly clock: Clock
  readonly log: Log
}

const lookMs = 1000
/** Maximum number of concurrent announcements. */
const batchesMax = 2
/** Pause after a rejected announcement. */
const pauseMs = 30_000
const lateCheckMs = 3_600_000

export function createProvidePlan(parts: ProvideParts): ProvidePlan {
  const plan = new Plan(parts)
  const stopLooking = parts.clock.every(lookMs, () => void plan.announceDue())
  void plan.announceDue()
  return {
    stat: () => plan.stat(),
    announceDue: () => plan.announceDue(),
    async stop() {
      stopLooking()
      await plan.stop()
    },
  }
}

class Plan {
  readonly #parts: ProvideParts
  readonly #queue: ProvideQueue
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #pausedUntil = -Infinity
  #lateChecked = -Infinity
  #done = 0
  #failed = 0

  constructor(parts: ProvideParts) {
    this.#parts = parts
    this.#queue = new ProvideQueue(parts.rows, parts.settings, parts.clock)
  }

  async announceDue(): Promise<void> {
    if (this.#running === null && this.#mayGoOn()) {
      this.#running = this.#pass()
        .catch((error: unknown) => this.#parts.log('error', 'announcements_failed', { error }))
        .finally(() => {
          this.#running = null
        })
    }
    await this.#running
  }

  async stat(): Promise<ProvideStat> {
    return { ...(await this.#queue.counts()), done: this.#done, failed: this.#failed }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  #mayGoOn(): boolean {
    const { settings, clock } = this.#parts
    const isPaused = clock.monotonic() < this.#pausedUntil
    return !this.#stopping.signal.aborted && !isPaused && settings().strategy !== 'none'
  }

  async #pass(): Promise<void> {
    await this.#queue.arrange(this.#stopping.signal)
    await this.#logLate()
    let last: Promise<unknown> = Promise.resolve()
    const take = (): Promise<ProvideBatch> => {
      const turn = last.then(() => this.#queue.take())
      last = turn.catch(() => undefined)
      return turn
    }
    await Promise.all(Array.from({ length: batchesMax }, () => this.#announceAll(take)))
  }

  async #logLate(): Promise<void> {
    const { clock, log } = this.#parts
    if (clock.monotonic() - this.#lateChecked < lateCheckMs) return
    this.#lateChecked = clock.monotonic()
    const { late } = await this.#queue.counts()
    if (late > 0) log('warn', 'announcements_late', { late })
  }

  /** Announces until nothing is due. */
  async #announceAll(take: () => Promise<ProvideBatch>): Promise<void> {
    while (this.#mayGoOn()) {
      const batch = await take()
      if (batch.rows.length === 0) return
      try {
        await this.#announce(batch)
      } finally {
        this.#queue.release(batch)
      }
    }
  }

  async #announce({ rows, region }: ProvideBatch): Promise<void> {
    const { announce, isDenied, clock, log } = this.#parts
    const denied = rows.map(({ multihash }) => isDenied(multihash))
    await this.#queue.skip(rows.filter((_, at) => denied[at]))
    const open = rows.filter((_, at) => denied[at] === false)
    if (open.length === 0) return
    const { signal } = this.#stopping
    const multihashes = open.map(({ multihash }) => multihash)
    let codes: ArrayLike<number>
    try {
      codes = await announce(multihashes, { region, signal })
    } catch (error) {
      // The rows stay due.
      this.#pausedUntil = clock.monotonic() + pauseMs
      if (!signal.aborted) log('warn', 'announcements_paused', { error })
      return
    }
    const done = open.filter((_, at) => codes[at] === 0).length
    this.#done += done
    this.#failed += open.length - done
    await this.#queue.settle(open, codes)
  }
}
