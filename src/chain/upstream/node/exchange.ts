// One HTTP exchange with an upstream, driven by undici's dispatcher. Settles once: with the response body within its limits, or
// with the reason of the failure.
// Tested by src/chain/upstream/node/json-rpc-client.test.ts
import type { Dispatcher } from 'undici'
import {
  codeOf,
  describeHttpError,
  isUnencoded,
  readRetryAfter,
} from '../../../base/http-origin.ts'
import type { Response } from './read-reply.ts'
import { UpstreamError, type ExchangePhase } from './upstream-error.ts'

/** The connection of an exchange. */
export type Connection = {
  /** True if the current socket has delivered a complete response. */
  hasAnswered: boolean
  /** Closes the socket; the next exchange opens another. */
  end(): void
}

/** State shared by all exchanges of one client. */
export type ExchangeOwner = {
  /** Bytes of bodies being read now, of all exchanges. */
  bufferedBytes: number
  readonly bufferedBytesMax: number
  /** Exchanges queued for a connection; those whose caller has left stay queued until it is their turn. */
  queuedCalls: number
  readonly queuedCallsMax: number
  dispatch(exchange: UpstreamExchange): void
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  now(): number
}

export type ExchangeRequest = {
  readonly body: string
  readonly replyBytesMax: number
  /** Repeated once if a reused socket turns out to have been closed. */
  readonly mayRepeat: boolean
}

type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>

const nothing = Buffer.alloc(0)
const bufferBytes = 64 * 1024
/** Error codes of an idle connection that closes while a request is written to it. */
const closings: ReadonlySet<string | null> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const timeouts: ReadonlySet<string | null> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
const tooLarge = 'a reply that is too large'
/** Passed to undici only; the caller has its own reason. */
const left = new Error('left')

export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<Response>
  readonly body: string
  readonly #owner: ExchangeOwner
  readonly #replyBytesMax: number
  readonly #signal: AbortSignal
  readonly #resolve: (response: Response) => void
  readonly #reject: (reason: unknown) => void
  readonly #mayRepeat: boolean
  #hasRepeated = false
  #isWaiting = false
  #connection: Connection | null = null
  #controller: Dispatcher.DispatchController | null = null
  #phase: ExchangePhase = 'unsent'
  /** True after the first byte of the response. */
  #hasBegun = false
  #settled = false
  #status = 0
  #retryAfterMs: number | null = null
  /** The body so far: a chunk as received, or one buffer with several. */
  #buffer: Buffer = nothing
  #bytes = 0

  constructor(owner: ExchangeOwner, request: ExchangeRequest, signal: AbortSignal) {
    const { body, replyBytesMax, mayRepeat } = request
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    this.response = promise
    this.body = body
    this.#owner = owner
    this.#replyBytesMax = replyBytesMax
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    this.#mayRepeat = mayRepeat
    signal.addEventListener('abort', this)
  }

  send(): void {
    const owner = this.#owner
    if (owner.queuedCalls >= owner.queuedCallsMax) {
      return this.#fail(this.#trouble('too many calls wait for a connection'))
    }
    owner.queuedCalls += 1
    this.#isWaiting = true
    owner.dispatch(this)
  }

  /** The response did not answer this request, so the next one may not either: close the connection. */
  distrust(): void {
    this.#connection?.end()
  }

  /** The caller's signal aborted. */
  handleEvent(): void {
    this.#fail(this.#signal.reason)
  }

  outOfTime(): void {
    this.#fail(this.#trouble('no answer in time', { timedOut: true }))
  }

  /** Called with the connection that the exchange uses. */
  onConnection(connection: Connection): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#leaveLine()
    // Thrown, not aborted with the controller: the connection stays open for the next queued exchange.
    if (this.#settled) throw left
    this.#controller = controller
    this.#phase = 'sent'
  }

  onResponseStarted(): void {
    this.#hasBegun = true
  }

  onResponseStart(_: unknown, status: number, headers: ReplyHeaders): void {
    // The final response follows.
    if (this.#settled || status < 200) return
    this.#phase = 'answering'
    this.#status = status
    this.#retryAfterMs = readRetryAfter(headers['retry-after'], this.#owner.now())
    if (!isUnencoded(headers)) {
      this.#fail(this.#trouble('a reply with a content encoding'))
    } else if (Number(headers['content-length'] ?? 0) > this.#replyBytesMax) {
      this.#fail(this.#trouble(tooLarge, { tooLarge: true }))
    }
  }

  onResponseData(_: unknown, bytes: Buffer): void {
    if (this.#settled) return
    this.#bytes += bytes.length
    this.#owner.bufferedBytes += bytes.length
    if (this.#bytes > this.#replyBytesMax) {
      this.#fail(this.#trouble(tooLarge, { tooLarge: true }))
    } else if (this.#owner.bufferedBytes > this.#owner.bufferedBytesMax) {
      this.#fail(this.#trouble('too many bytes of replies at once', { tooLarge: true }))
    } else {
      this.#add(bytes)
    }
  }

  onResponseEnd(): void {
    if (this.#connection !== null) this.#connection.hasAnswered = true
    if (this.#settled) return
    const body = this.#buffer.toString('utf8', 0, this.#bytes)
    this.#leave()
    this.#resolve({ status: this.#status, retryAfterMs: this.#retryAfterMs, body })
  }

  onResponseError(_: unknown, error: Error): void {
    this.#leaveLine()
    if (this.#settled) return
    const code = codeOf(error)
    if (this.#isStale(code)) {
      this.#hasRepeated = true
      this.#phase = 'unsent'
      this.#controller = null
      return this.send()
    }
    const isTooLarge = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
    this.#fail(
      this.#trouble(describeHttpError(error), {
        ...(timeouts.has(code) ? { timedOut: true } : {}),
        ...(isTooLarge ? { tooLarge: true } : {}),
      }),
    )
  }

  /** True if the reused connection ended before a byte of the response, and the request may be sent again. */
  #isStale(code: string | null): boolean {
    const isClosing =
      this.#connection?.hasAnswered === true && !this.#hasBegun && closings.has(code)
    return isClosing && !this.#hasRepeated && (this.#mayRepeat || this.#phase === 'unsent')
  }

  /** Uses one buffer, so that a body of many small chunks takes at most twice its size. */
  #add(bytes: Buffer): void {
    const before = this.#bytes - bytes.length
    if (before === 0) {
      this.#buffer = bytes
      return
    }
    if (this.#bytes > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(
        Math.max(this.#bytes, 2 * this.#buffer.length, bufferBytes),
      )
      this.#buffer.copy(grown, 0, 0, before)
      this.#buffer = grown
    }
    bytes.copy(this.#buffer, before)
  }

  #trouble(
    message: string,
    why: { readonly timedOut?: true; readonly tooLarge?: true } = {},
  ): UpstreamError {
    return new UpstreamError({
      kind: 'trouble',
      phase: this.#phase,
      message,
      ...why,
      ...(this.#status === 0 ? {} : { status: this.#status }),
    })
  }

  #fail(reason: unknown): void {
    if (this.#settled) return
    this.#leave()
    this.#reject(reason)
    this.#controller?.abort(left)
  }

  #leave(): void {
    this.#settled = true
    this.#owner.bufferedBytes -= this.#bytes
    this.#buffer = nothing
    this.#signal.removeEventListener('abort', this)
  }

  #leaveLine(): void {
    if (this.#isWaiting) this.#owner.queuedCalls -= 1
    this.#isWaiting = false
  }
}
