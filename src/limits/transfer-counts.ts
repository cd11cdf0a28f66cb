// Bytes that a key or an account has moved on the file face in this calendar month (UTC): read once from what was
// used, then counted in memory.
// Tested by src/limits/file-meters.test.ts
import type { Clock } from '../base/clock.ts'

/** Body bytes: `up` those that were read of requests, `down` those that were written of answers. */
export type Transferred = { readonly up: number; readonly down: number }

/** Of one month: when it ends, another takes its place. */
export type TransferCount = { readonly month: number; up: number; down: number }

export type TransferCounts = {
  /** `sum`: asked once for a name and month. Beyond `namesMax` names the one counted longest is read anew. */
  get(name: string, sum: () => Transferred): TransferCount
  /** Null: nothing counts under this name now. */
  find(name: string): TransferCount | null
}

const namesMax = 100_000

/** Start of the calendar month, UTC, in milliseconds since 1970. */
export function startOfMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

export function createTransferCounts(clock: Clock): TransferCounts {
  const counts = new Map<string, TransferCount>()

  function find(name: string): TransferCount | null {
    const count = counts.get(name)
    return count?.month === startOfMonth(clock.now()) ? count : null
  }

  return {
    find,
    get(name, sum) {
      const known = find(name)
      if (known !== null) return known
      for (const oldest of counts.keys()) {
        if (counts.size < namesMax) break
        counts.delete(oldest)
      }
      const count = { month: startOfMonth(clock.now()), ...sum() }
      counts.delete(name)
      counts.set(name, count)
      return count
    },
  }
}
