// A Prometheus histogram of durations, from the latency steps of usage. Each bucket ends at the end of a step, so only the sum is
// an estimate.
// Tested by src/metrics/metrics.test.ts
import { latencySteps, stepMs } from '../base/latency.ts'

/** Every fifth step: each bucket ends at about three times the previous end, from 0.1 ms to minutes. */
const ends: readonly number[] = Array.from({ length: 14 }, (_, index) => 3 + 5 * index)

type Labels = Readonly<Record<string, string>>

export type LatencyHistogram = {
  add(labels: Labels, counts: ArrayLike<number>): void
  /** Bucket, sum and count lines, cumulative as in the text format. */
  values(): readonly HistogramValue[]
}

type HistogramValue = {
  readonly metricName: string
  readonly labels: Labels
  readonly value: number
}

export function createLatencyHistogram(name: string): LatencyHistogram {
  const series = new Map<string, { readonly labels: Labels; readonly counts: Float64Array }>()
  return {
    add(labels, counts) {
      const key = JSON.stringify(labels)
      const one = series.get(key) ?? { labels, counts: new Float64Array(latencySteps) }
      series.set(key, one)
      for (let step = 0; step < counts.length; step++) {
        one.counts[step] = (one.counts[step] ?? 0) + (counts[step] ?? 0)
      }
    },
    values: () =>
      [...series.values()].flatMap(({ labels, counts }) => valuesOf(name, labels, counts)),
  }
}

function valuesOf(name: string, labels: Labels, counts: Float64Array): readonly HistogramValue[] {
  const buckets: HistogramValue[] = []
  let count = 0
  let sum = 0
  for (let step = 0; step < counts.length; step++) {
    const here = counts[step] ?? 0
    count += here
    sum += here * middleSeconds(step)
    if (!ends.includes(step)) continue
    const le = String(round(stepMs(step) / 1000))
    buckets.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: count })
  }
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: round(sum) },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function middleSeconds(step: number): number {
  const end = stepMs(step) / 1000
  const start = step === 0 ? 0 : stepMs(step - 1) / 1000
  return (start + end) / 2
}

function round(seconds: number): number {
  return Number(seconds.toPrecision(6))
}
