// The sum of a day or a month: units of a key, bytes of a key or an account. Counted in memory; several nodes join their sums ten
// times a second, and each node decides by a sum that is at most 0.2 s old.
// Tested by src/access/limits/period-count.test.ts
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'

/** Every implementation runs test/suites/shared-counters.suite.ts. */
export interface SharedCounters {
  /**
   * Adds `units`, which may be negative, to a counter, and resolves with its new value. A counter that does not exist, or was lost,
   * starts with `known`. `ends`: milliseconds since 1970, after which it can be deleted.
   */
  add(counter: string, ends: number, known: number, units: number): number | Promise<number>
}

/** The shared counter that joins a sum with those of other nodes. */
export type JoinedCount = {
  readonly counters: SharedCounters
  readonly name: string
  readonly ends: number
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
}

/** Interval at which a node sends its additions. */
const joinMs = 100
/** Before a decision, an older sum is read again. With frequent requests, no request waits for it. */
const recentMs = 2 * joinMs

/** `start`: of the period. Without `joined`: only this process. */
export class PeriodCount {
  readonly start: number
  total: number
  readonly #joined: JoinedCount | null
  /** The sum of all nodes, as of the last reply. */
  #known: number
  #unsent = 0
  #joining: Promise<void> | null = null
  #isDue = false
  #joinedAt = Number.NEGATIVE_INFINITY

  constructor(start: number, total: number, joined: JoinedCount | null = null) {
    this.start = start
    this.total = total
    this.#known = total
    this.#joined = joined
  }

  add(units: number): void {
    this.total += units
    if (this.#joined === null) return
    this.#unsent += units
    if (this.#isDue) return
    this.#isDue = true
    const { clock } = this.#joined
    // Send all counters of a process at the same time, so that one message can contain them all.
    clock.after(joinMs - (clock.monotonic() % joinMs), () => {
      this.#isDue = false
      void this.join()
    })
  }

  /** Undefined: the sum is recent enough for a decision. */
  refresh(): Promise<void> | undefined {
    if (this.#joined === null) return undefined
    const age = this.#joined.clock.monotonic() - this.#joinedAt
    return age < recentMs ? undefined : this.join()
  }

  /** Never rejects: without the other nodes, this node's sum continues. */
  join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = null
    })
    return this.#joining
  }

  async #join(): Promise<void> {
    const joined = this.#joined
    if (joined === null) return
    const units = this.#unsent
    this.#unsent = 0
    try {
      const { counters, name, ends } = joined
      this.#known = await counters.add(name, ends, this.#known, units)
      this.total = this.#known + this.#unsent
    } catch {
      this.#unsent += units
    }
    this.#joinedAt = joined.clock.monotonic()
  }
}

const countersMax = 100_000

/** Counters shared by the processes of one machine. Beyond `countersMax`, the oldest is dropped. */
export function createMemoryCounters(
  clock: Pick<Clock, 'now'>,
  most: number = countersMax,
): SharedCounters {
  const counters = new Map<string, { ends: number; value: number }>()
  return {
    add(name, ends, known, units) {
      const counter = counters.get(name)
      const value = counter !== undefined && counter.ends > clock.now() ? counter.value : known
      const after = value + units
      if (counter === undefined) setNewest(counters, name, { ends, value: after }, most)
      else Object.assign(counter, { ends, value: after })
      return after
    },
  }
}
