// One HTTP request and its reply, as the JSON-RPC API uses it. The listener creates it after checking target and Host; the API
// replies once.
// Tested by src/http/server.test.ts
import type { Fault } from '../base/fault.ts'
import type { Body } from './body.ts'
import type { Deadlines } from './deadlines.ts'
import type { HeadLines } from './text-answer.ts'

/** The headers that the JSON-RPC API reads, in lower case. */
export const requestHeaderNames = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'origin',
  'traceparent',
  'user-agent',
  'x-cairn-proof',
  'x-forwarded-for',
  'x-request-id',
] as const

export type RequestHeaders = {
  readonly [Name in (typeof requestHeaderNames)[number]]?: string | undefined
}

/** A complete reply. Header names and values must be well formed; they include the length, if there is one. */
export type CompleteAnswer = {
  readonly status: number
  readonly fixed: readonly HeadLines[]
  /** Names and values alternate; sent after the fixed ones. */
  readonly own: readonly string[]
  readonly text: string
  /** `text` is ASCII. */
  readonly ascii: boolean
  /** The request's body was not read to its end: after discarding a limited rest, the connection closes. */
  readonly bodyUnread: boolean
  /** The connection closes after the reply, which has `Connection: close`. */
  readonly closes: boolean
}

export interface HttpExchange {
  readonly method: string
  readonly headers: RequestHeaders
  /** Path as sent, not decoded, without the query. Starts with `/`. */
  readonly path: string
  /** Query as sent, without `?`; empty if absent. */
  readonly query: string
  /** First label of the Host name in lower case; null for IPv6 and for HTTP/1.0 without Host. */
  readonly hostLabel: string | null
  /** Generated, or sent by the client if well formed. Returned as `x-request-id`. */
  readonly requestId: string
  /** Client address, see `ClientAddress` in request-head.ts; empty after the peer has disconnected. */
  readonly address: string
  /** The client has disconnected and receives no reply. */
  readonly isClosed: boolean
  /** Aborts if the client disconnects before the reply ends, or by `abort`. Its reason is a Fault. */
  readonly signal: AbortSignal
  /** Stops the work of this exchange, for example at a deadline. Only the first reason counts. */
  abort(reason: Fault): void
  /** True while the client waits for `100 Continue`: answer without reading the body, or call `acceptBody` first. */
  readonly awaitsContinue: boolean
  /** Sends `100 Continue` if the client waits for it. Call before reading the body. */
  acceptBody(): void
  /** The body in memory; returns no promise if it has already arrived. Never rejects. Call once, or again after `whole`. */
  readBody(bytesMax: number, deadlines: Deadlines): Body | Promise<Body>
  /** The body was read to its end. */
  readonly bodyEnded: boolean
  /**
   * Sends `answer`, unless the client has disconnected or a reply was sent. After `flushMs` without progress the client is
   * disconnected.
   */
  send(answer: CompleteAnswer): void
}

/** A client that reads no bytes of its answer for this long is disconnected. */
export const flushMs = 30_000
