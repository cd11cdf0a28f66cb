// An exchange of the lean listener: the head of a plain call, and a body that has arrived or is arriving.
// Tested by src/http/lean/lean-listener.test.ts
import { Fault } from '../../base/fault.ts'
import { append, type Body } from '../body.ts'
import type { Deadlines } from '../deadlines.ts'
import type { HttpExchange, RequestHeaders, CompleteAnswer } from '../http-exchange.ts'
import type { PlainHead } from './head-parser.ts'

/** The exchange's interface to its connection. */
export type ExchangeConnection = {
  addressOf(forwardedFor: string | undefined): string
  /** Writes the reply, then continues or closes the connection. */
  answer(answer: CompleteAnswer): void
}

export class LeanExchange implements HttpExchange {
  readonly method = 'POST'
  readonly awaitsContinue = false
  readonly requestId: string
  readonly head: PlainHead
  /** Called once at the end with the status, or with null if no reply was sent. */
  onEnd: ((status: number | null) => void) | null = null
  readonly #connection: ExchangeConnection
  #body: Buffer = nothing
  #bodyBytes = 0
  #gone = false
  #answered = false
  #endBody: ((ending: Body['ending']) => void) | null = null
  #controller: AbortController | null = null

  constructor(head: PlainHead, requestId: string, connection: ExchangeConnection) {
    this.head = head
    this.requestId = requestId
    this.#connection = connection
  }

  get headers(): RequestHeaders {
    return this.head.headers
  }

  get path(): string {
    return this.head.target.path
  }

  get query(): string {
    return this.head.target.query
  }

  get hostLabel(): string | null {
    return this.head.target.hostLabel
  }

  get address(): string {
    return this.#connection.addressOf(this.head.headers['x-forwarded-for'])
  }

  get isClosed(): boolean {
    return this.#gone
  }

  get signal(): AbortSignal {
    return this.#controlled().signal
  }

  abort(reason: Fault): void {
    this.#controlled().abort(reason)
  }

  /** Created on first use, because answers from memory need none. */
  #controlled(): AbortController {
    if (this.#controller !== null) return this.#controller
    this.#controller = new AbortController()
    if (this.#gone && !this.#answered) this.#controller.abort(new Fault('hung_up'))
    return this.#controller
  }

  acceptBody(): void {}

  get bodyEnded(): boolean {
    return this.#bodyBytes === this.head.bodyBytes
  }

  /** Bytes of the body that have not arrived. */
  get bodyBytesLeft(): number {
    return this.head.bodyBytes - this.#bodyBytes
  }

  /** Takes the bytes of the body and returns those after it; null: there are none. */
  take(bytes: Buffer): Buffer | null {
    const left = this.bodyBytesLeft
    const chunk = bytes.length > left ? bytes.subarray(0, left) : bytes
    this.#body = this.#bodyBytes === 0 ? chunk : append(this.#body, this.#bodyBytes, chunk)
    this.#bodyBytes += chunk.length
    if (this.bodyEnded) this.#endBody?.('whole')
    return bytes.length > left ? bytes.subarray(left) : null
  }

  readBody(bytesMax: number, deadlines: Deadlines): Body | Promise<Body> {
    if (this.bodyEnded) return this.#bodyOf('whole', bytesMax)
    if (this.#gone) return this.#bodyOf('gone', bytesMax)
    return new Promise((resolve) => {
      this.#endBody = (ending) => {
        deadline.stop()
        this.#endBody = null
        resolve(this.#bodyOf(ending, bytesMax))
      }
      const deadline = deadlines.start(() => this.#endBody?.('late'))
    })
  }

  #bodyOf(ending: Body['ending'], bytesMax: number): Body {
    const over = this.#bodyBytes > bytesMax
    const length = over ? bytesMax : this.#bodyBytes
    const bytes = length === this.#body.length ? this.#body : this.#body.subarray(0, length)
    return { ending: over ? 'over' : ending, bytes }
  }

  /** The client has disconnected. */
  hangUp(): void {
    if (this.#gone) return
    this.#gone = true
    this.#endBody?.('gone')
    if (this.#answered) return
    this.onEnd?.(null)
    this.#controller?.abort(new Fault('hung_up'))
  }

  send(answer: CompleteAnswer): void {
    if (this.#gone || this.#answered) return
    this.#answered = true
    this.#connection.answer(answer)
    this.onEnd?.(answer.status)
  }
}

const nothing = Buffer.alloc(0)
