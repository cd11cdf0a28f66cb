// One HTTP request and its answer, as the JSON-RPC API uses it. The listener creates it after it checked target and Host;
// the API answers it once.
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

/** A complete answer. Names and values of headers are well formed; the length is among them, if it has one. */
export type WholeAnswer = {
  readonly status: number
  readonly fixed: readonly HeadLines[]
  /** Names and values alternate; sent after the fixed ones. */
  readonly own: readonly string[]
  readonly text: string
  /** `text` is ASCII. */
  readonly ascii: boolean
  /** The request's body was not read to its end: the connection closes after a bounded rest of it. */
  readonly bodyUnread: boolean
  /** The connection closes after the answer, which carries `Connection: close`. */
  readonly closes: boolean
}

export interface HttpExchange {
  readonly method: string
  readonly headers: RequestHeaders
  /** Path as sent, not decoded, without the query. Starts with `/`. */
  readonly path: string
  /** Query as sent, without `?`; empty when there is none. */
  readonly query: string
  /** First label of the Host name in lower case; null for IPv6 and for HTTP/1.0 without Host. */
  readonly hostLabel: string | null
  /** Generated, or sent by the client if well formed. Returned as `x-request-id`. */
  readonly requestId: string
  /** Of the client, see `ClientAddress` in request-head.ts; empty once the peer has disconnected. */
  readonly address: string
  /** The client has disconnected: no answer reaches it. */
  readonly gone: boolean
  /** Aborts when the caller hangs up before the answer has ended, or by `abort`. Its reason is a Fault. */
  readonly signal: AbortSignal
  /** Stops the work of this exchange, for instance at a deadline. The first reason stays. */
  abort(reason: Fault): void
  /** True while the client waits for `100 Continue`: answer without reading the body, or call `acceptBody` first. */
  readonly awaitsContinue: boolean
  /** Sends `100 Continue` if the client waits for it. Call before reading the body. */
  acceptBody(): void
  /** The body in memory; without a promise if it has arrived. Never rejects. Call once, or again after `whole`. */
  readBody(bytesMax: number, deadlines: Deadlines): Body | Promise<Body>
  /** The body was read to its end. */
  readonly bodyEnded: boolean
  /**
   * Sends `answer`, unless the client has disconnected or was answered. After `flushMs` a stalled client is
   * disconnected.
   */
  send(answer: WholeAnswer): void
}

/** A client that reads no bytes of its answer for this long is disconnected. */
export const flushMs = 30_000
