// Progress of a request over node:http, and its report to the request log.
// Tested by test/server/access-log.test.ts
import type { Caller } from '../../access/accounts/caller.ts'
import type { Clock } from '../../base/clock.ts'
import type { Fault } from '../../base/fault.ts'
import type { NodeExchange } from '../../http/node-exchange.ts'
import { RequestTimeline } from '../inspector/request-timeline.ts'
import { type FinishedRequest, isServerError, type RequestLog } from './finished-request.ts'

export type Progress = {
  /** Monotonic, milliseconds. */
  readonly arrived: number
  /** Empty until it is known. */
  method: string
  caller: Pick<Caller, 'keyId' | 'accountId'> | null
  fault: Fault | null
  /** Null: the steps are not recorded. */
  timeline: RequestTimeline | null
  /** Body bytes of the reply. */
  readonly sent: { bytes: number }
}

export function beginProgress(clock: Clock, { takesSteps }: RequestLog): Progress {
  const arrived = clock.monotonic()
  return {
    arrived,
    method: '',
    caller: null,
    fault: null,
    timeline: takesSteps ? new RequestTimeline(clock, arrived) : null,
    sent: { bytes: 0 },
  }
}

/** Reports the request if the log records such requests. `bytesIn`: bytes of the request body. */
export function reportExchange(
  { requests, clock }: { readonly requests: RequestLog; readonly clock: Pick<Clock, 'monotonic'> },
  exchange: NodeExchange,
  api: FinishedRequest['api'],
  { arrived, method, caller, fault, timeline, sent }: Progress,
  bytesIn: number,
): void {
  if (!requests.takesAll && !isServerError(fault)) return
  requests.add({
    requestId: exchange.requestId,
    api,
    transport: 'http',
    network: null,
    calls: [{ method, fault }],
    batch: false,
    caller,
    status: exchange.response.statusCode,
    verified: null,
    units: 0,
    ms: clock.monotonic() - arrived,
    bytesIn,
    bytesOut: sent.bytes,
    address: exchange.address,
    traceParent: firstOf(exchange.request.headers['traceparent']),
    steps: timeline?.read().steps ?? [],
  })
}

function firstOf(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' ? header : (header?.[0] ?? null)
}
