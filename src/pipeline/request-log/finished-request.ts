// A finished request, for the access log and the list of recent errors. It never contains a key, a secret, a path, a parameter or a
// result.
import type { Caller } from '../../access/accounts/caller.ts'
import type { Fault } from '../../base/fault.ts'
import type { TimelineStep } from '../inspector/request-timeline.ts'

/** `method`: a JSON-RPC method, an IPFS command or an admin operation; `other`: an unknown one; empty: not read. */
export type FinishedCall = { readonly method: string; readonly fault: Fault | null }

export type FinishedRequest = {
  readonly requestId: string
  readonly api: 'rpc' | 'ipfs' | 'gateway' | 'admin'
  readonly transport: 'http' | 'websocket'
  /** Null: the API has no networks, or the network is not known. */
  readonly network: string | null
  /** One per call of a batch; otherwise exactly one. */
  readonly calls: readonly FinishedCall[]
  readonly batch: boolean
  /** Null: not authenticated. */
  readonly caller: Pick<Caller, 'keyId' | 'accountId'> | null
  /** HTTP status; null over a WebSocket. */
  readonly status: number | null
  /** As in `x-cairn-verified`; null: the header is absent. */
  readonly verified: string | null
  readonly units: number
  /** From the headers of the request to the end of the reply, milliseconds. */
  readonly ms: number
  /** Bytes of the bodies. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Client address. */
  readonly address: string
  /** `traceparent` of the client, as sent (W3C Trace Context); null: none. */
  readonly traceParent: string | null
  /** Stages and reads in the order of their start; empty unless `takesSteps`. */
  readonly steps: readonly TimelineStep[]
}

/** Receives the finished requests of all APIs. Must not throw. */
export interface RequestLog {
  /** True: report every request. False: only those with a fault for which `isServerError` holds. */
  readonly takesAll: boolean
  /** True: requests record their steps. */
  readonly takesSteps: boolean
  add(request: FinishedRequest): void
}

/** Receives nothing. */
export const silentRequestLog: RequestLog = { takesAll: false, takesSteps: false, add: () => {} }

/** Errors that are the result of a command, although Kubo's status for them is 500. */
const answers: ReadonlySet<string> = new Set(['command_failed', 'not_found', 'not_implemented'])

/** True if the server, a source or a limit of the server caused the fault, not the request. */
export function isServerError(fault: Fault | null): fault is Fault {
  return fault !== null && fault.row.status >= 500 && !answers.has(fault.code)
}
