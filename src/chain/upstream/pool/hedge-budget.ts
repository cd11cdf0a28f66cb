// How many extra calls hedging may cost: a tenth of all, and a few at once.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts

export type HedgeBudget = {
  /** One call was made for its own sake. */
  earn(): void
  /** May one more be made now? If so it is paid. */
  spend(): boolean
}

export const hedgeLimits = {
  /** A hedge starts after the p95 of the upstream that is waited for, but not sooner than this. */
  waitMsMin: 50,
  /** Without a hedge the next is asked after so many times the p95, and not sooner than this: it seems to hang. */
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
      // Sums of tenths fall short of whole numbers by a little.
      if (saved < 1 - 1e-9) return false
      saved -= 1
      return true
    },
  }
}
