// Cache of log searches that were refused for their size. Clients that repeat -32005 (viem three times) get the same fault without
// a new search. The key is the search, including the hash of the newest block.
import type { Clock } from '../../base/clock.ts'
import type { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import type { LogFilter, LogRange } from '../../chain/logs.ts'

export type RefusedSearches = {
  /** The fault with which this search was recently refused, or null. */
  find(range: LogRange, filter: LogFilter): Fault | null
  add(range: LogRange, filter: LogFilter, fault: Fault): void
}

/** At most `entriesMax` searches, each for `ttlMs`; a full cache evicts the oldest entry. */
export function createRefusedSearches({
  entriesMax,
  ttlMs,
  clock,
}: {
  readonly entriesMax: number
  readonly ttlMs: number
  readonly clock: Clock
}): RefusedSearches {
  const refused = new Map<string, { readonly fault: Fault; readonly until: number }>()
  return {
    find(range, filter) {
      // Avoids computing the key in the common case.
      if (refused.size === 0) return null
      const key = keyOf(range, filter)
      const entry = refused.get(key)
      if (entry === undefined) return null
      if (clock.monotonic() < entry.until) return entry.fault
      refused.delete(key)
      return null
    },
    add(range, filter, fault) {
      const [oldest] = refused.size >= entriesMax ? refused.keys() : []
      if (oldest !== undefined) refused.delete(oldest)
      refused.set(keyOf(range, filter), { fault, until: clock.monotonic() + ttlMs })
    },
  }
}

function keyOf({ newest, oldest }: LogRange, { addresses, topics }: LogFilter): string {
  const text = JSON.stringify([
    toBareHex(newest.hash),
    String(oldest),
    addresses.map(toBareHex),
    topics.map((choice) => choice?.map(toBareHex) ?? null),
  ])
  return toBareHex(keccak256(new TextEncoder().encode(text)))
}
