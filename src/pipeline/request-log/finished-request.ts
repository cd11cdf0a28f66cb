// A request that has ended, as the access log and the list of recent errors see it. It never contains a key, a secret, a path, a
// parameter or a result.
import type { Caller } from '../../access/accounts/caller.ts'
import type { Fault } from '../../base/fault.ts'
import type { TimelineStep } from '../inspector/request-timeline.ts'

/** `method`: a JSON-RPC method, an IPFS command or an admin operation; `other`: an unknown one; empty: not read. */
export type FinishedCall = { readonly method: string; readonly fault: Fault | null }

export type FinishedRequest = {
  readonly requestId: string
  readonly api: 'rpc' | 'ipfs' | 'gateway' | 'admin'
  readonly transport: 'http' | 'websocket'
  /** Null: the API has none, or it is not known. */
  readonly network: string | null
  /** One for each call of a batch, in any other case exactly one. */
  readonly calls: readonly FinishedCall[]
  readonly batch: boolean
  /** Null: not authenticated. */
  readonly caller: Pick<Caller, 'keyId' | 'accountId'> | null
  /** HTTP status; null over a WebSocket. */
  readonly status: number | null
  /** As in `x-cairn-verified`; null: no such label. */
  readonly verified: string | null
  readonly units: number
  /** From the head of the request to the end of the answer, milliseconds. */
  readonly ms: number
  /** Of the bodies. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Of the client. */
  readonly address: string
  /** `traceparent` of the client, as sent (W3C Trace Context); null: none. */
  readonly traceParent: string | null
  /** Stages and reads by their start; empty unless `takesSteps`. */
  readonly steps: readonly TimelineStep[]
}

/** Receives the requests of all APIs as they end. Must not throw. */
export interface RequestLog {
  /** True: report every request. False: only those with a fault for which `isServerError` holds. */
  readonly takesAll: boolean
  /** True: requests record their steps. */
  readonly takesSteps: boolean
  add(request: FinishedRequest): void
}

/** Receives nothing. */
export const silentRequestLog: RequestLog = { takesAll: false, takesSteps: false, add: () => {} }

/** Errors of a command that are the answer to it, although Kubo's status for them is 500. */
const answers: ReadonlySet<string> = new Set(['command_failed', 'not_found', 'not_implemented'])

/** The server, a source or a limit of the server failed, and not the request. */
export function isServerError(fault: Fault | null): fault is Fault {
  return fault !== null && fault.row.status >= 500 && !answers.has(fault.code)
}
