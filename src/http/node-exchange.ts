// An exchange over node:http, for every request that the lean listener hands over. The IPFS API and the pages use its
// request and response.
// Tested by src/http/server.test.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { type Body, readBody } from './body.ts'
import type { ClientAddress, Target } from './request-head.ts'
import type { Deadlines } from './deadlines.ts'
import type { EndlessReplies } from './endless-replies.ts'
import { endEarly } from './text-answer.ts'
import {
  type HttpExchange,
  flushMs,
  type RequestHeaders,
  type CompleteAnswer,
} from './http-exchange.ts'

/** Answers one exchange. An error before the headers are sent becomes a plain 500; after that, the connection is closed. */
export type RequestHandler = (exchange: NodeExchange) => void | Promise<void>

export type NodeExchangeParts = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: Target
  readonly requestId: string
  /** The client sent `Expect: 100-continue` and waits before it sends the body. */
  readonly awaitsContinue: boolean
  /** The server no longer accepts connections. */
  readonly draining: boolean
  readonly endless: EndlessReplies
  readonly clientAddress: ClientAddress
  readonly clock: Clock
}

export class NodeExchange implements HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: string
  readonly hostLabel: string | null
  readonly requestId: string
  readonly draining: boolean
  readonly #endless: EndlessReplies
  readonly #clientAddress: ClientAddress
  readonly #clock: Clock
  #awaitsContinue: boolean
  #controller: AbortController | null = null

  constructor(parts: NodeExchangeParts) {
    this.request = parts.request
    this.response = parts.response
    this.path = parts.target.path
    this.query = parts.target.query
    this.hostLabel = parts.target.hostLabel
    this.requestId = parts.requestId
    this.draining = parts.draining
    this.#endless = parts.endless
    this.#clientAddress = parts.clientAddress
    this.#clock = parts.clock
    this.#awaitsContinue = parts.awaitsContinue
  }

  get method(): string {
    return this.request.method ?? ''
  }

  get headers(): RequestHeaders {
    // The headers that Cairn reads have one value, although the types of node:http allow several.
    return this.request.headers as RequestHeaders
  }

  get address(): string {
    return this.#clientAddress.of(
      this.request.socket.remoteAddress ?? '',
      this.headers['x-forwarded-for'],
    )
  }

  /**
   * The last value of a header that a trusted proxy added; null if it is absent, or if the peer is not a trusted proxy.
   */
  forwarded(name: 'x-forwarded-host' | 'x-forwarded-proto'): string | null {
    const sent = this.request.headers[name]
    if (
      sent === undefined ||
      !this.#clientAddress.trusts(this.request.socket.remoteAddress ?? '')
    ) {
      return null
    }
    return String(sent).split(',').at(-1)?.trim() ?? null
  }

  get isClosed(): boolean {
    return this.response.destroyed
  }

  get signal(): AbortSignal {
    return this.#controlled().signal
  }

  abort(reason: Fault): void {
    this.#controlled().abort(reason)
  }

  /** Call before an endless reply: a stop of the server aborts it with `shutting_down`. */
  endAtStop(): void {
    const forget = this.#endless.add(this.request.socket, () => {
      this.abort(new Fault('shutting_down'))
    })
    this.response.once('close', forget)
  }

  /** Created on first use: an immediate reply needs none. */
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

  get awaitsContinue(): boolean {
    return this.#awaitsContinue
  }

  acceptBody(): void {
    if (!this.#awaitsContinue) return
    this.#awaitsContinue = false
    this.response.writeContinue()
  }

  readBody(bytesMax: number, deadlines: Deadlines): Promise<Body> {
    return readBody(this.request, bytesMax, deadlines)
  }

  get bodyEnded(): boolean {
    return this.request.readableEnded
  }

  send(answer: CompleteAnswer): void {
    const { request, response } = this
    if (response.destroyed || response.headersSent) return
    const head = [...answer.fixed.flatMap(({ list }) => list), ...answer.own]
    if (answer.closes) head.push('connection', 'close')
    response.writeHead(answer.status, head)
    if (answer.bodyUnread && !this.#awaitsContinue) {
      endEarly(request, response, answer.text, this.#clock)
    } else response.end(answer.text, answer.ascii ? 'latin1' : 'utf8')
    if (response.writableLength > 0) {
      const stopTimer = this.#clock.after(flushMs, () => response.destroy())
      response.once('close', stopTimer)
    }
  }
}
