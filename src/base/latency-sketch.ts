// How long an upstream takes: a histogram of fixed size over the last one to two minutes. Quantiles are right to a
// quarter of their value.
import type { Clock } from './clock.ts'

export type LatencySketch = {
  add(ms: number): void
  /** The time below which the share `q` (0 to 1) of the calls ended, milliseconds; null without a call. */
  quantile(q: number): number | null
  readonly count: number
}

const ratio = 1.25
const firstMs = 0.05
/** Up to about ten minutes. */
const steps = 74
const windowMs = 60_000

export function createLatencySketch(clock: Clock): LatencySketch {
  let young = new Uint32Array(steps)
  let old = new Uint32Array(steps)
  let youngCount = 0
  let oldCount = 0
  let turnAt = clock.monotonic() + windowMs

  function turn(): void {
    const now = clock.monotonic()
    if (now < turnAt) return
    // After two quiet windows nothing of before is left.
    const isStale = now >= turnAt + windowMs
    old = isStale ? new Uint32Array(steps) : young
    oldCount = isStale ? 0 : youngCount
    young = new Uint32Array(steps)
    youngCount = 0
    turnAt = now + windowMs
  }

  return {
    add(ms) {
      turn()
      const step = Math.ceil(Math.log(Math.max(ms, firstMs) / firstMs) / Math.log(ratio))
      const at = Math.min(step, steps - 1)
      young[at] = (young[at] ?? 0) + 1
      youngCount++
    },
    quantile(q) {
      turn()
      const total = youngCount + oldCount
      if (total === 0) return null
      let left = Math.max(1, Math.ceil(total * q))
      for (let at = 0; at < steps; at++) {
        left -= (young[at] ?? 0) + (old[at] ?? 0)
        if (left <= 0) return firstMs * ratio ** at
      }
      return firstMs * ratio ** (steps - 1)
    },
    get count() {
      turn()
      return youngCount + oldCount
    },
  }
}
