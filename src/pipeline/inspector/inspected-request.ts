// A recorded request in the inspector: only data that the account may see, without references to other objects.
// Tested by src/pipeline/inspector/inspector.test.ts
import type { FaultCode } from '../../base/fault.ts'
import type { TimelineStep } from './request-timeline.ts'

/** Params or a result. */
export type InspectedBody = {
  /** JSON without credentials; null: the key records no bodies. */
  readonly text: string | null
  /** Size of the complete JSON text in UTF-8. */
  readonly bytes: number
  /** The text is truncated. */
  readonly cut: boolean
}

/** One JSON-RPC call or one IPFS command. */
export type InspectedCall = {
  /** Name as the client sent it. */
  readonly method: string
  readonly outcome: 'ok' | FaultCode
  /** Setting that refused it, as in `data.reason`; otherwise null. */
  readonly reason: string | null
  /** `error.code` of the JSON-RPC reply; null: the call succeeded, or it is an IPFS command. */
  readonly errorCode: number | null
  readonly units: number
  readonly params: InspectedBody
  /** Code, message and data of a fault. Null: not recorded (IPFS commands). */
  readonly result: InspectedBody | null
}

export type InspectedRequest = {
  /** Increases from request to request, also across restarts. */
  readonly id: number
  readonly keyId: string
  /** As in `x-request-id` of the reply; of a WebSocket, that of its handshake. Null: unknown. */
  readonly requestId: string | null
  /** Arrival, milliseconds since 1970 UTC. */
  readonly time: number
  readonly face: 'rpc' | 'files'
  readonly transport: 'http' | 'websocket'
  /** Null for the IPFS API. */
  readonly network: string | null
  /** Method of a single call or command; `batch`; empty if refused before the body was read. */
  readonly method: string
  /** Calls of a batch; null: not a batch. */
  readonly batch: number | null
  /** Outcome of the request; of a batch, the first outcome that is not ok. */
  readonly outcome: 'ok' | FaultCode
  readonly reason: string | null
  /** The JSON-RPC error code of that outcome; null: it is `ok`, or an IPFS command. */
  readonly errorCode: number | null
  /** Calls that failed. */
  readonly failed: number
  /** HTTP status; null over a WebSocket. */
  readonly status: number | null
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** From arrival until the reply was written to the connection. */
  readonly ms: number
  /** Values of `x-cairn-verified` and `x-cairn-head`; null if absent. */
  readonly verified: string | null
  readonly head: string | null
  /** Block of the reply: hash as hex, number as QUANTITY. */
  readonly block: { readonly hash: string; readonly number: string } | null
  /** Names of the upstreams that were queried. */
  readonly upstreams: readonly string[]
  readonly origin: string | null
  readonly userAgent: string | null
  /** Null unless the key records addresses. */
  readonly address: string | null
  /** The first calls of the request. */
  readonly calls: readonly InspectedCall[]
  readonly timeline: readonly TimelineStep[]
  /** Number of steps over the limit, not stored. */
  readonly stepsLeft: number
}

/** Estimated memory in bytes, rounded up. */
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
