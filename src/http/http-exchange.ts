// One HTTP request and its answer, as the JSON-RPC API sees it: the listener makes it after the
// target and the Host were checked, and the API answers it once.
// Tested by src/http/server.test.ts
import type { Fault } from '../base/fault.ts'
import type { Body } from './body.ts'
import type { Deadlines } from './deadlines.ts'
import type { HeadLines } from './text-answer.ts'

/** The headers that are looked at by the JSON-RPC API, in lower case. */
export const requestHeaderNames = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'origin',
  'user-agent',
  'x-cairn-proof',
  'x-forwarded-for',
  'x-request-id',
] as const

export type RequestHeaders = {
  readonly [Name in (typeof requestHeaderNames)[number]]?: string | undefined
}

/** An answer that is whole. Names and values of headers are well formed; the length is among them, if it has one. */
export type WholeAnswer = {
  readonly status: number
  readonly fixed: readonly HeadLines[]
  /** Names and values in turn, behind the fixed ones. */
  readonly own: readonly string[]
  readonly text: string
  /** `text` is ASCII. */
  readonly ascii: boolean
  /** The request's body was not read to its end: the connection closes, behind a bounded rest of the body. */
  readonly bodyUnread: boolean
  /** The connection closes behind the answer, and the answer says so. */
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
  /** Ours, or the caller's when well formed; goes out as `x-request-id`. */
  readonly requestId: string
  /** The caller's, as `client-address.ts` finds it; empty once the peer has gone. */
  readonly address: string
  /** The caller has hung up: no answer will reach it. */
  readonly gone: boolean
  /** Aborts when the caller hangs up before the answer has ended, or by `abort`. Its reason is a Fault. */
  readonly signal: AbortSignal
  /** Stops the work of this exchange, for instance at a deadline. The first reason stays. */
  abort(reason: Fault): void
  /** True while the caller holds its body back: answer without reading it, or `acceptBody` first. */
  readonly awaitsContinue: boolean
  /** Sends `100 Continue` when the caller waits for it. Call before reading the body. */
  acceptBody(): void
  /** The body in memory, at once when it is at hand. Never rejects. Call once, or again after `whole`. */
  readBody(bytesMax: number, deadlines: Deadlines): Body | Promise<Body>
  /** The body was read to its end. */
  readonly bodyEnded: boolean
  /** Sends `answer`; nothing when the caller has gone or has its answer. A caller that does not take it is cut. */
  send(answer: WholeAnswer): void
}

/** A caller that does not take its answer is cut after this. */
export const flushMs = 30_000
