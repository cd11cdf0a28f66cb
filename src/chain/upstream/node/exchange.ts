// One HTTP exchange with an upstream, as undici's dispatcher drives it. Settles once: with the response's body under its
// caps, or with why there is none.
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

/** What an exchange goes over. */
export type Connection = {
  /** Has a response come whole over the socket that is open now? */
  hasAnswered: boolean
  /** Closes the socket; the next exchange opens another. */
  end(): void
}

/** What all exchanges of one client share. */
export type ExchangeOwner = {
  /** Bytes of bodies that are being read now, of all exchanges. */
  heldBytes: number
  readonly heldBytesMax: number
  /** Exchanges in line for a connection; those whose caller has left stay in it until their turn comes. */
  waiting: number
  readonly waitingMax: number
  dispatch(exchange: UpstreamExchange): void
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  now(): number
}

export type ExchangeRequest = {
  readonly body: string
  readonly replyBytesMax: number
  /** Sent again, once, when a reused socket turns out to have been closed. */
  readonly mayRepeat: boolean
}

type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>

const nothing = Buffer.alloc(0)
const roomBytes = 64 * 1024
/** What it looks like when an idle connection is closed in the moment in which it is written to. */
const closings: ReadonlySet<string | null> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const timeouts: ReadonlySet<string | null> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
const tooLarge = 'a reply that is too large'
/** For undici alone: the caller has its own reason. */
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
  /** Has anything of the response come? */
  #hasBegun = false
  #settled = false
  #status = 0
  #retryAfterMs: number | null = null
  /** The body so far: a piece as it came, or a room of our own for several. */
  #room: Buffer = nothing
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
    if (owner.waiting >= owner.waitingMax) {
      return this.#fail(this.#trouble('too many calls wait for a connection'))
    }
    owner.waiting += 1
    this.#isWaiting = true
    owner.dispatch(this)
  }

  /** What came was no answer to it, so that what comes next may be none either: the connection ends. */
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

  /** It goes over this one. */
  onConnection(connection: Connection): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#leaveLine()
    // Thrown, not aborted with the controller: so the connection stays open for the next in line.
    if (this.#settled) throw left
    this.#controller = controller
    this.#phase = 'sent'
  }

  onResponseStarted(): void {
    this.#hasBegun = true
  }

  onResponseStart(_: unknown, status: number, headers: ReplyHeaders): void {
    // The response itself comes after it.
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
    this.#owner.heldBytes += bytes.length
    if (this.#bytes > this.#replyBytesMax) {
      this.#fail(this.#trouble(tooLarge, { tooLarge: true }))
    } else if (this.#owner.heldBytes > this.#owner.heldBytesMax) {
      this.#fail(this.#trouble('too many bytes of replies at once', { tooLarge: true }))
    } else {
      this.#add(bytes)
    }
  }

  onResponseEnd(): void {
    if (this.#connection !== null) this.#connection.hasAnswered = true
    if (this.#settled) return
    const body = this.#room.toString('utf8', 0, this.#bytes)
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

  /** Did the connection, used before, end before a byte of the response, and may the request be sent again? */
  #isStale(code: string | null): boolean {
    const isClosing =
      this.#connection?.hasAnswered === true && !this.#hasBegun && closings.has(code)
    return isClosing && !this.#hasRepeated && (this.#mayRepeat || this.#phase === 'unsent')
  }

  /** In one array, so that a body of many small pieces takes no more room than its bytes, twice. */
  #add(bytes: Buffer): void {
    const before = this.#bytes - bytes.length
    if (before === 0) {
      this.#room = bytes
      return
    }
    if (this.#bytes > this.#room.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes, 2 * this.#room.length, roomBytes))
      this.#room.copy(grown, 0, 0, before)
      this.#room = grown
    }
    bytes.copy(this.#room, before)
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
    this.#owner.heldBytes -= this.#bytes
    this.#room = nothing
    this.#signal.removeEventListener('abort', this)
  }

  #leaveLine(): void {
    if (this.#isWaiting) this.#owner.waiting -= 1
    this.#isWaiting = false
  }
}
