// One HTTP exchange with an upstream: undici's handler as an object, so that a call makes no closures but its timer.
// Settles once: with the response's body under its caps, or with why there is none.
// Tested by src/ethereum/upstream/node/json-rpc-client.test.ts
import type { Response } from './read-reply.ts'
import { UpstreamError, type ExchangePhase } from './upstream-error.ts'

/** As much of undici's controller as is used. */
type Controller = { abort(reason: Error): void }
type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What all exchanges of one client share. */
export type ExchangeOwner = {
  /** Bytes of bodies that are being read now, of all exchanges. */
  heldBytes: number
  readonly heldBytesMax: number
  /** Has any exchange of this client ended well? Then a reset may be of a socket that was reused. */
  hasAnswered: boolean
  dispatch(exchange: Exchange): void
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

export class Exchange {
  readonly response: Promise<Response>
  readonly body: string
  readonly #owner: ExchangeOwner
  readonly #replyBytesMax: number
  readonly #signal: AbortSignal
  readonly #resolve: (response: Response) => void
  readonly #reject: (reason: unknown) => void
  #mayRepeat: boolean
  #controller: Controller | null = null
  #phase: ExchangePhase = 'unsent'
  #settled = false
  #status = 0
  #retryAfterMs: number | null = null
  #chunks: Buffer[] = []
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

  /** The caller's signal aborted. */
  handleEvent(): void {
    this.#fail(this.#signal.reason)
  }

  outOfTime(): void {
    this.#fail(this.#trouble('no answer in time', { timedOut: true }))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#settled) controller.abort(new Error('the caller has left'))
    else this.#phase = 'sent'
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    // 1xx: the response itself comes after it.
    if (this.#settled || status < 200) return
    this.#phase = 'answering'
    this.#status = status
    this.#retryAfterMs = readRetryAfter(headers['retry-after'], this.#owner.now())
    const encoding = headers['content-encoding']
    // Not asked for: what an upstream may send must be what the caps count.
    if (encoding !== undefined && encoding !== 'identity') {
      this.#fail(this.#trouble('a reply with a content encoding'))
    } else if (Number(headers['content-length'] ?? 0) > this.#replyBytesMax) {
      this.#fail(this.#trouble('a reply that is too large', { tooLarge: true }))
    }
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#settled) return
    this.#bytes += chunk.length
    this.#owner.heldBytes += chunk.length
    if (this.#bytes > this.#replyBytesMax) {
      this.#fail(this.#trouble('a reply that is too large', { tooLarge: true }))
    } else if (this.#owner.heldBytes > this.#owner.heldBytesMax) {
      this.#fail(this.#trouble('too many bytes of replies at once', { tooLarge: true }))
    } else {
      this.#chunks.push(chunk)
    }
  }

  onResponseEnd(): void {
    if (this.#settled) return
    const { body } = this.#read()
    this.#owner.hasAnswered = true
    this.#leave()
    this.#resolve({ status: this.#status, retryAfterMs: this.#retryAfterMs, body })
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#settled) return
    if (
      this.#mayRepeat &&
      this.#phase === 'sent' &&
      isReusedReset(error, this.#owner.hasAnswered)
    ) {
      this.#mayRepeat = false
      this.#phase = 'unsent'
      this.#controller = null
      this.#owner.dispatch(this)
      return
    }
    // The code alone: undici's own texts may name the URL.
    this.#fail(this.#trouble(codeOf(error)))
  }

  #read(): { readonly body: string } {
    const [only] = this.#chunks
    const bytes =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    return { body: bytes.toString('utf8') }
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
    this.#controller?.abort(new Error('the caller has left'))
  }

  #leave(): void {
    this.#settled = true
    this.#owner.heldBytes -= this.#bytes
    this.#chunks = []
    this.#signal.removeEventListener('abort', this)
  }
}

const resetCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** The peer closed an idle socket at the moment we wrote to it. */
function isReusedReset(error: Error, hasAnswered: boolean): boolean {
  const code = codeOf(error)
  if (code === 'UND_ERR_SOCKET') {
    const socket = (error as { socket?: { bytesRead?: number } | null }).socket
    return (socket?.bytesRead ?? 0) > 0
  }
  return hasAnswered && resetCodes.has(code)
}

function codeOf(error: Error): string {
  const code = 'code' in error ? error.code : null
  return typeof code === 'string' ? code : 'broken connection'
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3); null when absent or unreadable. At most ten minutes. */
function readRetryAfter(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== 'string') return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax)
}
