// A request as the inspector keeps it: what may be shown to the account, and no reference to anything else.
// Tested by src/pipeline/inspector/inspector.test.ts
import type { FaultCode } from '../../base/fault.ts'
import type { TimelineStep } from './request-timeline.ts'

/** Params or a result. */
export type InspectedBody = {
  /** JSON, without credentials; null: the key keeps no bodies. */
  readonly text: string | null
  /** Of the whole, in UTF-8, as JSON. */
  readonly bytes: number
  /** The text is not the whole. */
  readonly cut: boolean
}

/** One call of the JSON-RPC face, or one file command. */
export type InspectedCall = {
  /** As it was asked for. */
  readonly method: string
  readonly outcome: 'ok' | FaultCode
  /** Why a setting refused it, as `data.reason` says; null elsewhere. */
  readonly reason: string | null
  /** `error.code` of the JSON-RPC reply; null: the call succeeded, or it is an IPFS command. */
  readonly errorCode: number | null
  readonly units: number
  readonly params: InspectedBody
  /** Of a fault: its code, message and data. Null: none that is kept (file commands). */
  readonly result: InspectedBody | null
}

export type InspectedRequest = {
  /** Grows from request to request, over restarts too. */
  readonly id: number
  readonly keyId: string
  /** Of its arrival, milliseconds since 1970 UTC. */
  readonly time: number
  readonly face: 'rpc' | 'files'
  readonly transport: 'http' | 'websocket'
  /** Null on the file face. */
  readonly network: string | null
  /** Of a single call or command; `batch`; empty when it was refused before that was read. */
  readonly method: string
  /** Calls of a batch; null: it was none. */
  readonly batch: number | null
  /** Of the request; of a batch that ran the first that is not ok. */
  readonly outcome: 'ok' | FaultCode
  readonly reason: string | null
  /** The JSON-RPC error code of that outcome; null: it is `ok`, or an IPFS command. */
  readonly errorCode: number | null
  /** Calls that came to a fault. */
  readonly failed: number
  /** HTTP status; null over a WebSocket. */
  readonly status: number | null
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** From its arrival until the reply was given to the connection. */
  readonly ms: number
  /** As `x-cairn-verified` and `x-cairn-head` say; null where they say nothing. */
  readonly verified: string | null
  readonly head: string | null
  /** Answered of this block: hex, and QUANTITY. */
  readonly block: { readonly hash: string; readonly number: string } | null
  /** Names of those that were asked. */
  readonly upstreams: readonly string[]
  readonly origin: string | null
  readonly userAgent: string | null
  /** Null unless the key keeps addresses. */
  readonly address: string | null
  /** The first of them. */
  readonly calls: readonly InspectedCall[]
  readonly timeline: readonly TimelineStep[]
  /** Steps that were too many to be kept. */
  readonly stepsLeft: number
}

/** Rough and rather too much: bytes of memory. */
export function sizeOf(request: InspectedRequest): number {
  const texts = [request.origin, request.userAgent, request.address, ...request.upstreams]
  const bodies = request.calls.flatMap(({ method, params, result }) => [
    method,
    params.text,
    result?.text,
  ])
  const chars = [...texts, ...bodies].reduce((sum, text) => sum + (text?.length ?? 0), 0)
  return 1_024 + 2 * chars + 160 * request.calls.length + 96 * request.timeline.length
}
