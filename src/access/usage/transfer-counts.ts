// Bytes that a key or an account has transferred over the IPFS API in this calendar month (UTC): read once from the usage table,
// then counted in memory; several nodes join their counts.
// Tested by src/access/limits/transfer-meters.test.ts
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { PeriodCount, type SharedCounters } from '../limits/period-count.ts'

/** Body bytes: `up` read from requests, `down` written in replies. */
export type Transferred = { readonly up: number; readonly down: number }

/** Counts of one month; a new month has new counts. */
export type TransferCount = { readonly up: PeriodCount; readonly down: PeriodCount }

export type TransferCounts = {
  /**
   * `sum`: called once per name and month. Beyond `namesMax` names, the oldest one is dropped and read again. Returns a promise
   * while the sum is being read.
   */
  get(
    name: string,
    sum: () => Transferred | Promise<Transferred>,
  ): TransferCount | Promise<TransferCount>
  /** Null: no counter exists under this name. */
  find(name: string): TransferCount | null
}

const namesMax = 100_000
const dayMs = 24 * 60 * 60 * 1000

/** Start of the calendar month, UTC, in milliseconds since 1970. */
export function startOfMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

/** `counters`: joins the bytes with those of other processes; null: only this process. */
export function createTransferCounts(
  clock: Clock,
  counters: SharedCounters | null = null,
): TransferCounts {
  const counts = new Map<string, TransferCount>()
  /** Bounded by the requests in flight. */
  const opening = new Map<string, Promise<TransferCount>>()
  let month = 0
  let monthEnds = 0

  /** Called for each chunk of an upload, so the start and end of the month are computed once per month. */
  function thisMonth(): number {
    const now = clock.now()
    if (now < month || now >= monthEnds) {
      month = startOfMonth(now)
      monthEnds = startOfMonth(month + 32 * dayMs)
    }
    return month
  }

  function find(name: string): TransferCount | null {
    const count = counts.get(name)
    return count?.up.start === thisMonth() ? count : null
  }

  function add(name: string, { up, down }: Transferred): TransferCount {
    const start = thisMonth()
    const ends = monthEnds
    const joined = (way: string) =>
      counters === null ? null : { counters, name: `${way} ${start} ${name}`, ends, clock }
    const count = {
      up: new PeriodCount(start, up, joined('up')),
      down: new PeriodCount(start, down, joined('down')),
    }
    setNewest(counts, name, count, namesMax)
    return count
  }

  async function open(name: string, sum: Promise<Transferred> | Transferred) {
    try {
      const read = await sum
      const count = find(name) ?? add(name, read)
      await Promise.all([count.up.join(), count.down.join()])
      return count
    } finally {
      opening.delete(name)
    }
  }

  return {
    find,
    get(name, sum) {
      const known = opening.get(name) ?? find(name)
      if (known !== null) return known
      const read = sum()
      if (counters === null && !(read instanceof Promise)) return add(name, read)
      const opened = open(name, read)
      opening.set(name, opened)
      return opened
    },
  }
}
