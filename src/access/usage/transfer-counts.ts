// Bytes that a key or an account has transferred over the IPFS API in this calendar month (UTC): read once from the
// usage table, then counted in memory.
// Tested by src/access/limits/transfer-meters.test.ts
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'

/** Body bytes: `up` those that were read of requests, `down` those that were written of answers. */
export type Transferred = { readonly up: number; readonly down: number }

/** Of one month: when it ends, another takes its place. */
export type TransferCount = { readonly month: number; up: number; down: number }

export type TransferCounts = {
  /** `sum`: called once per name and month. Beyond `namesMax` names, the oldest one is dropped and read again. */
  get(name: string, sum: () => Transferred): TransferCount
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

export function createTransferCounts(clock: Clock): TransferCounts {
  const counts = new Map<string, TransferCount>()
  let month = 0
  let monthEnds = 0

  /** Called for each chunk of an upload, so the bounds of the month are computed once per month. */
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
    return count?.month === thisMonth() ? count : null
  }

  return {
    find,
    get(name, sum) {
      const known = find(name)
      if (known !== null) return known
      const count = { month: thisMonth(), ...sum() }
      setNewest(counts, name, count, namesMax)
      return count
    },
  }
}
