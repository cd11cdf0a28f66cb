// Sums of usage, with latencies.
// Tested by src/access/usage/usage-report.test.ts
import { latencySteps, quantileOf } from '../../base/latency.ts'

export type Sums = {
  readonly requests: number
  /** Of them, calls that failed. */
  readonly failed: number
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Of calls that ran; right to a quarter of the value. Null: none ran. */
export type Latency = {
  readonly calls: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
} | null

export type Part = Sums & { readonly latency: Latency }

/** Accumulator of a part. */
export class Tally {
  requests = 0
  failed = 0
  units = 0
  bytesIn = 0
  bytesOut = 0
  #counts: Float64Array | null = null

  add(sums: Sums): void {
    this.requests += sums.requests
    this.failed += sums.failed
    this.units += sums.units
    this.bytesIn += sums.bytesIn
    this.bytesOut += sums.bytesOut
  }

  /** `counts`: of steps from `first` on. */
  addLatency(counts: ArrayLike<number>, first = 0): void {
    this.#counts ??= new Float64Array(latencySteps)
    for (let at = 0; at < counts.length && first + at < latencySteps; at++) {
      this.#counts[first + at] = (this.#counts[first + at] ?? 0) + (counts[at] ?? 0)
    }
  }

  sums(): Sums {
    const { requests, failed, units, bytesIn, bytesOut } = this
    return { requests, failed, units, bytesIn, bytesOut }
  }

  part(): Part {
    return { ...this.sums(), latency: this.#latency() }
  }

  #latency(): Latency {
    const counts = this.#counts
    if (counts === null) return null
    const at = (q: number): number => round(quantileOf(counts, q) ?? 0)
    const calls = counts.reduce((sum, count) => sum + count, 0)
    return { calls, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
  }
}

/** Rounded to three digits, the precision of the buckets. */
function round(ms: number): number {
  return Number(ms.toPrecision(3))
}

/** Tallies by name, each with the members that it represents. */
export class Tallies<Named extends object> {
  readonly #tallies = new Map<string, { readonly named: Named; readonly tally: Tally }>()

  of(name: string, named: Named): Tally {
    let known = this.#tallies.get(name)
    if (known === undefined) {
      known = { named, tally: new Tally() }
      this.#tallies.set(name, known)
    }
    return known.tally
  }

  /** Most requests first, then in the order of their names. */
  sorted(): readonly { readonly named: Named; readonly tally: Tally }[] {
    return [...this.#tallies]
      .toSorted(
        ([one, { tally: a }], [other, { tally: b }]) =>
          b.requests - a.requests || (one < other ? -1 : 1),
      )
      .map(([, named]) => named)
  }
}
