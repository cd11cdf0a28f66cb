// Latencies in buckets. Each upper bound is 25 % above the previous one, so quantiles have an error of at most 25 %, and
// histograms can be added. A sketch covers the last one to two minutes.
// Tested by src/base/latency.test.ts
import type { Clock } from './clock.ts'

const ratio = 1.25
const firstMs = 0.05
const perRatio = 1 / Math.log(ratio)

/** Number of buckets, up to about ten minutes; longer durations count in the last one. */
export const latencySteps = 74

/** Bucket of a duration, 0 to `latencySteps` - 1. */
export function stepOf(ms: number): number {
  if (!(ms > firstMs)) return 0
  return Math.min(Math.ceil(Math.log(ms / firstMs) * perRatio), latencySteps - 1)
}

/** Upper bound of a bucket, milliseconds. */
export function stepMs(step: number): number {
  return firstMs * ratio ** step
}

/** The time within which the share `q` (0 to 1) of the calls ended, milliseconds; null without calls. */
export function quantileOf(counts: ArrayLike<number>, q: number): number | null {
  let total = 0
  for (let step = 0; step < counts.length; step++) total += counts[step] ?? 0
  if (total === 0) return null
  let remaining = Math.max(1, Math.ceil(total * q))
  for (let step = 0; step < counts.length; step++) {
    remaining -= counts[step] ?? 0
    if (remaining <= 0) return stepMs(step)
  }
  return stepMs(latencySteps - 1)
}

export type LatencySketch = {
  add(ms: number): void
  /** The time within which the share `q` (0 to 1) of the calls ended, milliseconds; null without calls. */
  quantile(q: number): number | null
  readonly count: number
}

const windowMs = 60_000

export function createLatencySketch(clock: Clock): LatencySketch {
  let current = new Uint32Array(latencySteps)
  let previous = new Uint32Array(latencySteps)
  let currentCount = 0
  let previousCount = 0
  let rotatesAt = clock.monotonic() + windowMs

  function rotateWindows(): void {
    const now = clock.monotonic()
    if (now < rotatesAt) return
    // After two windows without samples, both windows are empty.
    const isStale = now >= rotatesAt + windowMs
    previous = isStale ? new Uint32Array(latencySteps) : current
    previousCount = isStale ? 0 : currentCount
    current = new Uint32Array(latencySteps)
    currentCount = 0
    rotatesAt = now + windowMs
  }

  return {
    add(ms) {
      rotateWindows()
      const at = stepOf(ms)
      current[at] = (current[at] ?? 0) + 1
      currentCount++
    },
    quantile(q) {
      rotateWindows()
      return quantileOf(
        current.map((count, at) => count + (previous[at] ?? 0)),
        q,
      )
    },
    get count() {
      rotateWindows()
      return currentCount + previousCount
    },
  }
}
