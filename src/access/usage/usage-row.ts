// Usage of one call, and the row that sums up similar calls.
// Tested by src/access/usage/usage.test.ts
import { type Fault, type FaultCode, filesStatus, pathsStatus } from '../../base/fault.ts'
import { latencySteps, stepOf } from '../../base/latency.ts'

/** Result of a call. `reason`: of a refusal, if it has one; otherwise empty. */
export type CallOutcome = {
  readonly outcome: 'ok' | FaultCode
  readonly reason: string
  /** HTTP status; of a call in a batch the one that it would have alone. */
  readonly status: number
}

/** One finished call. */
export type UsedCall = CallOutcome & {
  readonly keyId: string
  /** The key's. */
  readonly accountId: string
  readonly face: 'rpc' | 'files'
  /** Empty for the IPFS API. */
  readonly network: string
  readonly method: string
  readonly units: number
  /** Body bytes of the request and of the answer. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** From its entry to its answer, milliseconds; null: it was refused before it ran. */
  readonly ms: number | null
}

/** Calls alike in one minute. */
export type UsageRow = Omit<UsedCall, 'ms' | 'units' | 'bytesIn' | 'bytesOut'> & {
  /** Start of the UTC minute, milliseconds since 1970. */
  readonly minute: number
  requests: number
  units: number
  bytesIn: number
  bytesOut: number
  /** How many of the calls that ran took how long (base/latency.ts); null: none ran. */
  latency: Uint32Array | null
}

/** Rows for listeners: those of one second, written and final. */
export type FlushedRow = Readonly<Omit<UsageRow, 'latency'>> & {
  readonly latency: Readonly<Uint32Array> | null
}

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const fine: CallOutcome = { outcome: 'ok', reason: '', status: 200 }

/** `fault` null: the call was answered. */
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

/** Row without calls. */
export function emptyRow(
  { keyId, accountId, face, network, method, outcome, reason, status }: UsedCall | FlushedRow,
  minute: number,
): UsageRow {
  return {
    minute,
    keyId,
    accountId,
    face,
    network,
    method,
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

/** Equal for rows that add up to one. */
export function rowName(
  row: Omit<UsageRow, 'requests' | 'units' | 'bytesIn' | 'bytesOut'>,
): string {
  const { minute, keyId, face, network, method, outcome, reason, status } = row
  return `${minute}\n${keyId}\n${face}\n${network}\n${method}\n${outcome}\n${reason}\n${status}`
}
