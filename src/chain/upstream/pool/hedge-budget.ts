// Limits the extra calls of hedging: 10 % of all calls, and a few in a burst.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts

export type HedgeBudget = {
  /** Counts one regular call. */
  earn(): void
  /** True if one more hedge is allowed now; it is then counted. */
  spend(): boolean
}

export const hedgeLimits = {
  /** A hedge starts after the pending upstream's p95, but not before this. */
  waitMsMin: 50,
  /**
   * Without budget, the next upstream is queried after this multiple of the p95, and not before the minimum: the first
   * seems to hang.
   */
  patienceShare: 10,
  patienceMsMin: 2_000,
  share: 0.1,
  savedMax: 10,
} as const

export function createHedgeBudget(): HedgeBudget {
  let saved = 1
  return {
    earn() {
      saved = Math.min(saved + hedgeLimits.share, hedgeLimits.savedMax)
    },
    spend() {
      // Sums of tenths are slightly below whole numbers.
      if (saved < 1 - 1e-9) return false
      saved -= 1
      return true
    },
  }
}
