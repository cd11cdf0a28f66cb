// Usage of one call, and the row that sums similar calls.
// Tested by src/access/usage/usage.test.ts
import { latencySteps, quantileOf, stepOf } from '../../base/latency.ts'
import { type Fault, type FaultCode, filesStatus, pathsStatus } from '../../base/fault.ts'

export type Sums = {
  readonly requests: number
  /** Those that failed. */
  readonly failed: number
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Latency of calls that ran; exact to a quarter of the value. Null: none ran. */
export type Latency = {
  readonly calls: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
} | null

export type Part = Sums & { readonly latency: Latency }

/** Accumulates the sums of a part. */
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

  /** `counts`: buckets of the histogram, starting with bucket `first`. */
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

  /** Most requests first, then by name. */
  sorted(): readonly { readonly named: Named; readonly tally: Tally }[] {
    return [...this.#tallies]
      .toSorted(
        ([one, { tally: a }], [other, { tally: b }]) =>
          b.requests - a.requests || (one < other ? -1 : 1),
      )
      .map(([, named]) => named)
  }
}

/** Result of a call. `reason`: of a refusal, if it has one; otherwise empty. */
export type CallOutcome = {
  readonly outcome: 'ok' | FaultCode
  readonly reason: string
  /** HTTP status; for a call in a batch, the status that it would have alone. */
  readonly status: number
}

/** One finished call. */
export type UsedCall = CallOutcome & {
  readonly keyId: string
  /** ID of the key's account. */
  readonly accountId: string
  readonly face: 'rpc' | 'files'
  /** Empty for the IPFS API. */
  readonly network: string
  readonly method: string
  /** Label of a JSON-RPC answer from chain data (x-cairn-verified); empty: an error, Cairn's own answer, or the IPFS API. */
  readonly verified: string
  readonly units: number
  /** Body bytes of the request and of the reply. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Milliseconds from its arrival to its reply; null: refused before it ran. */
  readonly ms: number | null
}

/** Similar calls in one minute. */
export type UsageRow = Omit<UsedCall, 'ms' | 'units' | 'bytesIn' | 'bytesOut'> & {
  /** Start of the UTC minute, milliseconds since 1970. */
  readonly minute: number
  requests: number
  units: number
  bytesIn: number
  bytesOut: number
  /** Histogram of the latency of calls that ran (base/latency.ts); null: none ran. */
  latency: Uint32Array | null
}

/** Rows for listeners: usage of one second, written and final. */
export type FlushedRow = Readonly<Omit<UsageRow, 'latency'>> & {
  readonly latency: Readonly<Uint32Array> | null
}

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const fine: CallOutcome = { outcome: 'ok', reason: '', status: 200 }

/** `fault` null: the call succeeded. */
export function rpcOutcome(fault: Fault | null): CallOutcome {
  if (fault === null) return fine
  return { outcome: fault.code, reason: fault.reason, status: fault.row.status }
}

export function filesOutcome(fault: Fault | null): CallOutcome {
  if (fault === null) return fine
  return { outcome: fault.code, reason: fault.reason, status: filesStatus(fault.row) }
}

export function pathsOutcome(fault: Fault | null): CallOutcome {
  if (fault === null) return fine
  return { outcome: fault.code, reason: fault.reason, status: pathsStatus(fault.row) }
}

/** A row without calls. */
export function emptyRow(
  {
    keyId,
    accountId,
    face,
    network,
    method,
    verified,
    outcome,
    reason,
    status,
  }: UsedCall | FlushedRow,
  minute: number,
): UsageRow {
  return {
    minute,
    keyId,
    accountId,
    face,
    network,
    method,
    verified,
    outcome,
    reason,
    status,
    requests: 0,
    units: 0,
    bytesIn: 0,
    bytesOut: 0,
    latency: null,
  }
}

export function addCall(row: UsageRow, { units, bytesIn, bytesOut, ms }: UsedCall): void {
  row.requests++
  row.units += units
  row.bytesIn += bytesIn
  row.bytesOut += bytesOut
  if (ms === null) return
  row.latency ??= new Uint32Array(latencySteps)
  const step = stepOf(ms)
  row.latency[step] = (row.latency[step] ?? 0) + 1
}

export function addRow(row: UsageRow, more: FlushedRow): void {
  row.requests += more.requests
  row.units += more.units
  row.bytesIn += more.bytesIn
  row.bytesOut += more.bytesOut
  if (more.latency === null) return
  row.latency ??= new Uint32Array(latencySteps)
  addCounts(row.latency, more.latency)
}

function addCounts(to: Uint32Array, more: ArrayLike<number>): void {
  for (let step = 0; step < more.length; step++) to[step] = (to[step] ?? 0) + (more[step] ?? 0)
}

/** The same for rows that are summed. */
export function rowName(
  row: Omit<UsageRow, 'requests' | 'units' | 'bytesIn' | 'bytesOut'>,
): string {
  const { minute, keyId, face, network, method, verified, outcome, reason, status } = row
  return `${minute}\n${keyId}\n${face}\n${network}\n${method}\n${verified}\n${outcome}\n${reason}\n${status}`
}
