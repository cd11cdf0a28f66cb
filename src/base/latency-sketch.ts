// Latency of an upstream: a histogram of fixed size over the last one to two minutes. Quantiles have an error of at
// most 25 %.
import type { Clock } from './clock.ts'
import { latencySteps, quantileOf, stepOf } from './latency-steps.ts'

export type LatencySketch = {
  add(ms: number): void
  /** The time below which the share `q` (0 to 1) of the calls ended, milliseconds; null without a call. */
  quantile(q: number): number | null
  readonly count: number
}

const windowMs = 60_000

export function createLatencySketch(clock: Clock): LatencySketch {
  let young = new Uint32Array(latencySteps)
  let old = new Uint32Array(latencySteps)
  let youngCount = 0
  let oldCount = 0
  let turnAt = clock.monotonic() + windowMs

  function turn(): void {
    const now = clock.monotonic()
    if (now < turnAt) return
    // After two windows without samples all old ones are dropped.
    const isStale = now >= turnAt + windowMs
    old = isStale ? new Uint32Array(latencySteps) : young
    oldCount = isStale ? 0 : youngCount
    young = new Uint32Array(latencySteps)
    youngCount = 0
    turnAt = now + windowMs
  }

  return {
    add(ms) {
      turn()
      const at = stepOf(ms)
      young[at] = (young[at] ?? 0) + 1
      youngCount++
    },
    quantile(q) {
      turn()
      return quantileOf(
        young.map((count, at) => count + (old[at] ?? 0)),
        q,
      )
    },
    get count() {
      turn()
      return youngCount + oldCount
    },
  }
}
