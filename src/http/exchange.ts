// One HTTP request and its response on the way through a face. Made by the server after the target and the
// Host were judged; a Face answers it, once.
// Tested by src/http/server.test.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../base/fault.ts'
import type { Target } from './target.ts'

/** Answers one exchange. What it throws before headers are out becomes a plain 500; after, a cut connection. */
export type Face = (exchange: Exchange) => void | Promise<void>

export type ExchangeParts = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: Target
  /** Ours, or the caller's when well formed; goes out as `x-request-id`. */
  readonly requestId: string
  /** The caller sent `Expect: 100-continue` and holds its body back. */
  readonly awaitsContinue: boolean
  /** The server no longer takes connections. */
  readonly draining: boolean
  readonly sendWhole: (response: ServerResponse, head: string, body: string) => boolean
}

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path as sent, not decoded, without the query. Starts with `/`. */
  readonly path: string
  /** Query as sent, without `?`; empty when there is none. */
  readonly query: string
  /** First label of the Host name in lower case; null for IPv6 and for HTTP/1.0 without Host. */
  readonly hostLabel: string | null
  readonly requestId: string
  readonly draining: boolean
  readonly #sendWhole: ExchangeParts['sendWhole']
  #awaitsContinue: boolean
  #controller: AbortController | null = null

  constructor(parts: ExchangeParts) {
    this.request = parts.request
    this.response = parts.response
    this.path = parts.target.path
    this.query = parts.target.query
    this.hostLabel = parts.target.hostLabel
    this.requestId = parts.requestId
    this.draining = parts.draining
    this.#sendWhole = parts.sendWhole
    this.#awaitsContinue = parts.awaitsContinue
  }

  /**
   * Sends a 200 in one piece: `head`, header lines each ended by CRLF, names and values known to be well formed
   * and `content-length` among them; `body` in ASCII. False, with nothing sent, when this answer needs more care:
   * the connection is to end, or something was sent before.
   */
  sendWhole(head: string, body: string): boolean {
    return this.#sendWhole(this.response, head, body)
  }

  /** The peer's address as the socket gives it; empty once it has gone. */
  get address(): string {
    return this.request.socket.remoteAddress ?? ''
  }

  /** Aborts when the caller hangs up before the answer has ended, or by `abort`. Its reason is a Fault. */
  get signal(): AbortSignal {
    return this.#controlled().signal
  }

  /** Stops the work of this exchange, for instance at a deadline. The first reason stays. */
  abort(reason: Fault): void {
    this.#controlled().abort(reason)
  }

  /** Made at the first use: an answer that is at hand needs none. */
  #controlled(): AbortController {
    if (this.#controller !== null) return this.#controller
    const controller = new AbortController()
    this.#controller = controller
    const { response } = this
    const hangUp = (): void => {
      if (!response.writableFinished) controller.abort(new Fault('hung_up'))
    }
    if (response.closed) hangUp()
    else response.once('close', hangUp)
    return controller
  }

  /** True while the caller holds its body back: answer without reading it, or `acceptBody` first. */
  get awaitsContinue(): boolean {
    return this.#awaitsContinue
  }

  /** Sends `100 Continue` when the caller waits for it. Call before reading the body. */
  acceptBody(): void {
    if (!this.#awaitsContinue) return
    this.#awaitsContinue = false
    this.response.writeContinue()
  }
}
