// Reports finished requests of the JSON-RPC API to the request log, with the method names that usage reports count: it never logs
// the name of an unknown method.
// Tested by test/server/access-log.test.ts
import type { Caller } from '../../access/accounts/caller.ts'
import type { Clock } from '../../base/clock.ts'
import type { Fault } from '../../base/fault.ts'
import type { Network } from '../../chain/network.ts'
import type { Inspection } from '../../pipeline/inspector/inspection.ts'
import {
  type FinishedRequest,
  isServerError,
  type RequestLog,
} from '../../pipeline/request-log/finished-request.ts'
import type { RpcAnswer, RpcItem, RpcOutcome, RpcPipeline } from '../rpc-pipeline.ts'

export type ReportParts = {
  readonly gateway: Pick<RpcPipeline, 'methodNames'>
  readonly requests: RequestLog
  readonly clock: Pick<Clock, 'monotonic'>
}

/** `caller`, `network`: null if not known. `items`: empty if the envelope was not read. `arrived`: monotonic. */
type From = Pick<FinishedRequest, 'transport' | 'batch'> & {
  readonly peer: {
    readonly requestId: string
    readonly address?: string
    readonly headers?: { readonly traceparent?: string | undefined }
  }
  readonly arrived: number
  readonly caller: Caller | null
  readonly network: Network | null
  readonly items: readonly (RpcItem | Fault)[]
  /** Null: the request's steps were not recorded. */
  readonly inspection: Pick<Inspection, 'timeline'> | null
}

type Ended = Pick<FinishedRequest, 'status' | 'bytesIn' | 'bytesOut'>

export function hasServerError(outcomes: readonly RpcOutcome[]): boolean {
  return outcomes.some((outcome) => 'fault' in outcome && isServerError(outcome.fault))
}

/** Reports a request whose calls ran. */
export function reportCalls(
  parts: ReportParts,
  from: From,
  { outcomes, headers: { verified, units } }: RpcAnswer,
  ended: Ended,
): void {
  const names = namesOf(parts, from)
  const calls = outcomes.map((outcome, index) => ({
    method: names[index] ?? '',
    fault: 'fault' in outcome ? outcome.fault : null,
  }))
  parts.requests.add({ ...shared(parts, from), ...ended, calls, verified, units })
}

/** Reports a request that was refused as a whole, if the request log records such requests. */
export function reportRefusal(
  parts: ReportParts,
  from: From,
  fault: Fault,
  ended: Ended & { readonly units: number },
): void {
  const { requests } = parts
  if (!requests.takesAll && !isServerError(fault)) return
  const names = from.items.length === 0 ? [''] : namesOf(parts, from)
  const calls = names.map((method) => ({ method, fault }))
  requests.add({ ...shared(parts, from), ...ended, calls, verified: 'none' })
}

function namesOf({ gateway }: ReportParts, { network, items }: From): readonly string[] {
  return network === null ? items.map(() => '') : gateway.methodNames(network, items)
}

function shared({ clock, requests }: ReportParts, { peer, arrived, network, ...from }: From) {
  const { transport, batch, caller, inspection } = from
  return {
    requestId: peer.requestId,
    api: 'rpc',
    transport,
    network: network?.name ?? null,
    batch,
    caller,
    address: peer.address ?? '',
    ms: clock.monotonic() - arrived,
    traceParent: peer.headers?.traceparent ?? null,
    steps: requests.takesSteps ? (inspection?.timeline.read().steps ?? []) : [],
  } as const
}
