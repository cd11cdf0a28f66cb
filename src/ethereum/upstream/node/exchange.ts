// One HTTP exchange with an upstream: what a connection hands a response to. Settles once: with the response's body
// under its caps, or with why there is none.
// Tested by src/ethereum/upstream/node/json-rpc-client.test.ts
import type { ReplyHead } from './reply-head.ts'
import type { ReplyTaker } from './reply-reader.ts'
import type { Response } from './read-reply.ts'
import { UpstreamError, type ExchangePhase } from './upstream-error.ts'

/** As much of a connection as is used. */
type Connection = { leave(): void; end(why: string): void }

/** What all exchanges of one client share. */
export type ExchangeOwner = {
  /** Bytes of bodies that are being read now, of all exchanges. */
  heldBytes: number
  readonly heldBytesMax: number
  dispatch(exchange: UpstreamExchange): void
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  now(): number
}

export type ExchangeRequest = {
  readonly body: string
  readonly replyBytesMax: number
  /** Asked again, once, when a reused socket turns out to have been closed. */
  readonly mayRepeat: boolean
}

const retryAfterMsMax = 10 * 60_000
const nothing = Buffer.alloc(0)
const roomBytes = 64 * 1024

export class UpstreamExchange implements ReplyTaker {
  readonly response: Promise<Response>
  readonly body: string
  readonly #owner: ExchangeOwner
  readonly #replyBytesMax: number
  readonly #signal: AbortSignal
  readonly #resolve: (response: Response) => void
  readonly #reject: (reason: unknown) => void
  #mayRepeat: boolean
  #connection: Connection | null = null
  #phase: ExchangePhase = 'unsent'
  #settled = false
  #status = 0
  #retryAfterMs: number | null = null
  /** The body so far, when it comes in more than one piece. */
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

  get isSettled(): boolean {
    return this.#settled
  }

  /** What came was no answer to it, so that what comes next may be none either: the connection ends. */
  distrust(): void {
    this.#connection?.end('replies out of step')
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
    if (this.#settled) connection.leave()
  }

  onSent(): void {
    this.#phase = 'sent'
  }

  onHead({ status, headers, body }: ReplyHead): void {
    if (this.#settled) return
    this.#phase = 'answering'
    this.#status = status
    this.#retryAfterMs = readRetryAfter(headers['retry-after'], this.#owner)
    const encoding = headers['content-encoding']
    // Not asked for: what an upstream may send must be what the caps count.
    if (encoding !== undefined && encoding !== 'identity') {
      this.#fail(this.#trouble('a reply with a content encoding'))
    } else if (typeof body === 'number' && body > this.#replyBytesMax) {
      this.#fail(this.#trouble('a reply that is too large', { tooLarge: true }))
    }
  }

  onBody(bytes: Buffer, isLast: boolean): void {
    if (this.#settled) return
    this.#bytes += bytes.length
    this.#owner.heldBytes += bytes.length
    if (this.#bytes > this.#replyBytesMax) {
      this.#fail(this.#trouble('a reply that is too large', { tooLarge: true }))
    } else if (this.#owner.heldBytes > this.#owner.heldBytesMax) {
      this.#fail(this.#trouble('too many bytes of replies at once', { tooLarge: true }))
    } else if (isLast && this.#bytes === bytes.length) {
      this.#end(bytes.toString('utf8'))
    } else {
      this.#add(bytes)
      if (isLast) this.#end(this.#room.toString('utf8', 0, this.#bytes))
    }
  }

  /** `why`: names no host. `isStale`: the connection had been idle, and ended before a byte of the response. */
  onError(why: string, isStale: boolean): void {
    if (this.#settled) return
    if (this.#mayRepeat && this.#phase === 'sent' && isStale) {
      this.#mayRepeat = false
      this.#phase = 'unsent'
      this.#connection = null
      this.#owner.dispatch(this)
      return
    }
    this.#fail(this.#trouble(why))
  }

  /** In one array, so that a body of many small pieces takes no more room than its bytes, twice. */
  #add(bytes: Buffer): void {
    const before = this.#bytes - bytes.length
    if (this.#bytes > this.#room.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes, 2 * this.#room.length, roomBytes))
      this.#room.copy(grown, 0, 0, before)
      this.#room = grown
    }
    bytes.copy(this.#room, before)
  }

  #end(body: string): void {
    this.#leave()
    this.#resolve({ status: this.#status, retryAfterMs: this.#retryAfterMs, body })
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
    this.#connection?.leave()
  }

  #leave(): void {
    this.#settled = true
    this.#owner.heldBytes -= this.#bytes
    this.#room = nothing
    this.#signal.removeEventListener('abort', this)
  }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3); null when absent or unreadable. At most ten minutes. */
function readRetryAfter(header: string | undefined, owner: ExchangeOwner): number | null {
  if (header === undefined) return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - owner.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax)
}
