// The access log: one JSON line for each HTTP request, also for a batch. A line never contains a key, a path or a parameter; it
// contains the client's address only if the operator enables that. Failed requests are always logged, even outside the sample.
// Tested by src/pipeline/request-log/access-log.test.ts
import type { FinishedCall, FinishedRequest } from './finished-request.ts'

export type AccessLogTerms = {
  /** Share of the successful requests that are logged, 0 to 1. */
  readonly sample: number
  /** Write the client's address. */
  readonly addresses: boolean
}

/** Errors that are valid replies: a revert, and the error reply of an upstream. */
const answers: ReadonlySet<string> = new Set(['reverted', 'upstream_said'])
/** Maximum of different methods in the line of a batch. */
const methodsMax = 16

/** The line without a line feed; null: not in the sample. `random`: 0 up to but not including 1. `time`: when the request ended. */
export function accessLine(
  request: FinishedRequest,
  { sample, addresses }: AccessLogTerms,
  time: number,
  random: () => number,
): string | null {
  const { calls, batch } = request
  const faults = calls.flatMap(({ fault }) => fault ?? [])
  const failed = faults.find(({ code }) => !answers.has(code))
  if (failed === undefined && sample < 1 && random() >= sample) return null
  const [reported = null] = failed === undefined ? faults : [failed]
  const method = batch ? 'batch' : (calls[0]?.method ?? '')
  const { requestId, api, transport, network, caller, status, verified } = request
  return JSON.stringify({
    time: new Date(time).toISOString(),
    requestId,
    api,
    ...(transport === 'websocket' ? { transport } : {}),
    ...(network === null ? {} : { network }),
    ...(method === '' ? {} : { method }),
    ...(batch
      ? { calls: calls.length, failed: faults.length, methods: countMethods(calls) }
      : undefined),
    ...(caller === null ? {} : { key: caller.keyId, account: caller.accountId }),
    ...(addresses ? { address: request.address } : {}),
    ...(status === null ? {} : { status }),
    outcome: reported?.code ?? 'ok',
    ...(reported === null || reported.reason === '' ? {} : { reason: reported.reason }),
    ...(verified === null ? {} : { verified }),
    units: request.units,
    ms: Math.round(request.ms * 1000) / 1000,
    bytesIn: request.bytesIn,
    bytesOut: request.bytesOut,
  })
}

/** Further methods count as `other`. */
function countMethods(calls: readonly FinishedCall[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { method } of calls) {
    const isCounted = counts.has(method) || (method !== '' && counts.size < methodsMax)
    const name = isCounted ? method : 'other'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}
