// One connection of the lean listener. It answers plain calls one after the other. At the first other request it hands the socket
// over to node:http, together with the bytes of that request. All connections share one timer for idle time. Under load they write
// the replies of one turn of the event loop together.
// Tested by src/http/lean/lean-listener.test.ts
import type { Socket } from 'node:net'
import type { Clock } from '../../base/clock.ts'
import type { ClientAddress } from '../request-head.ts'
import { type CompleteAnswer, flushMs } from '../http-exchange.ts'
import { toLines } from '../text-answer.ts'
import { LeanExchange } from './lean-exchange.ts'
import type { PlainHead } from './head-parser.ts'

/** Dependencies that all connections of a listener share. */
export type ConnectionTerms = {
  readonly readHead: (bytes: Buffer) => PlainHead | null
  readonly begin: (exchange: LeanExchange) => void
  readonly requestIdOf: (requested: string | undefined) => string
  readonly clientAddress: ClientAddress
  /** The status line. */
  readonly startOf: (status: number) => string
  /** The last header lines and the empty line; `stays`: the connection stays open. */
  readonly endOf: (stays: boolean) => string
  readonly draining: (socket: Socket) => boolean
  /** Whether this process answers the plain call; others are handed over. Absent: it answers all. */
  readonly serves?: ((head: PlainHead) => boolean) | undefined
  /** `socket` is paused, and delivers `first` again after `resume`. */
  readonly handOver: (socket: Socket, first: Buffer) => void
  /** Called with unexpected errors. */
  readonly failed: (cause: unknown) => void
  /** The connection was closed or handed over. */
  readonly left: (connection: LeanConnection) => void
  readonly wheel: IdleWheel
  readonly coalescer: WriteCoalescer
  /** Time limit until the first bytes. */
  readonly headersMs: number
  /** Between a reply and the next request. */
  readonly keepAliveMs: number
  readonly clock: Clock
}

/** Time limit for discarding the rest of an unread body. */
const discardMs = 1_000
const bufferedBytesMax = 2_048
/** More unsent text is written before the end of the turn. */
const unsentCharsMax = 16_384
const nothing: Buffer = Buffer.alloc(0)

export class LeanConnection implements Idler, Sender {
  readonly socket: Socket
  readonly peer: string
  readonly #terms: ConnectionTerms
  #exchange: LeanExchange | null = null
  #lastHead: PlainHead | null = null
  #lastHeadBytes = nothing
  /** Bytes received after the current exchange: at most one read, because the socket is paused. */
  #held: Buffer | null = null
  #working = false
  /** While working: there are bytes after the exchange that has just begun. */
  #hasMore = false
  #ended = false
  #answered = false
  /** Replies that wait for the end of the turn. */
  #unsent = ''
  #unsentAscii = true
  /** The socket has buffered a part of the last reply. */
  #flushing = false
  /** Bytes of an unread body that remain to be discarded. */
  #discard = 0
  #stopDiscarding: (() => void) | null = null
  dueTick: number

  constructor(socket: Socket, terms: ConnectionTerms) {
    this.socket = socket
    this.peer = socket.remoteAddress ?? ''
    this.#terms = terms
    this.dueTick = terms.wheel.tickAfter(terms.headersMs)
    socket.on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain)
    socket.on('error', this.#onError).on('close', this.#onClose)
  }

  /** Client address of a request with this X-Forwarded-For header. */
  addressOf(forwardedFor: string | undefined): string {
    return this.#terms.clientAddress.of(this.peer, forwardedFor)
  }

  /** Milliseconds since it became idle; null: it is not idle. */
  get idleMs(): number | null {
    if (!this.idle) return null
    const { wheel, headersMs, keepAliveMs } = this.#terms
    return wheel.sinceTickAfter(this.dueTick, this.#answered ? keepAliveMs : headersMs)
  }

  get idle(): boolean {
    return this.#exchange === null && this.#unsent === '' && this.socket.writableLength === 0
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#ended) this.#throwAway(bytes)
    else if (this.#exchange !== null) this.#hold(this.#exchange.take(bytes))
    else if (this.#ready) this.#work(bytes)
    else this.#hold(bytes)
  }

  /** Runs the requests in `first` until one is pending or no bytes are left. An unexpected error closes only this connection. */
  #work(first: Buffer): void {
    try {
      this.#workOn(first)
    } catch (thrown) {
      this.#terms.failed(thrown)
      this.send()
      this.socket.destroy()
    }
  }

  #workOn(first: Buffer): void {
    this.#working = true
    for (let bytes: Buffer | null = first; bytes !== null;) {
      const head = this.#readHead(bytes)
      if (head === null || this.#terms.serves?.(head) === false) {
        this.send()
        this.#leave()
        this.socket.pause()
        this.socket.unshift(bytes)
        this.#terms.handOver(this.socket, bytes)
        return
      }
      const exchange = new LeanExchange(
        head,
        this.#terms.requestIdOf(head.headers['x-request-id']),
        this,
      )
      this.#exchange = exchange
      bytes = exchange.take(bytes.subarray(head.bytes))
      this.#hasMore = bytes !== null
      this.#terms.begin(exchange)
      if (this.#ended) return
      if (!this.#ready) {
        this.#hold(bytes)
        bytes = null
      }
    }
    this.#working = false
  }

  /** Reuses the last head if the bytes are equal, because clients repeat the same head. */
  #readHead(bytes: Buffer): PlainHead | null {
    const last = this.#lastHead
    if (last !== null && bytes.length >= last.bytes) {
      if (this.#lastHeadBytes.compare(bytes, 0, last.bytes) === 0) return last
    }
    const head = this.#terms.readHead(bytes)
    if (head !== null) {
      this.#lastHead = head
      // Retained until the next request, so it must not reference the memory of all received bytes.
      const headBytes = bytes.subarray(0, head.bytes)
      this.#lastHeadBytes =
        bytes.buffer.byteLength > bufferedBytesMax ? Buffer.from(headBytes) : headBytes
    }
    return head
  }

  get #ready(): boolean {
    return this.#exchange === null && !this.socket.writableNeedDrain
  }

  #hold(bytes: Buffer | null): void {
    if (bytes === null) return
    this.#held = bytes
    this.socket.pause()
  }

  readonly #onDrain = (): void => {
    if (!this.#ended && this.#ready) this.#goOn()
  }

  #goOn(): void {
    if (!this.#ready) return
    const buffered = this.#held
    this.#held = null
    if (buffered === null) return
    this.#work(buffered)
    if (this.#held === null && !this.#ended) this.socket.resume()
  }

  answer(answer: CompleteAnswer): void {
    const { socket } = this
    const exchange = this.#exchange
    if (exchange === null || !socket.writable) return
    const { startOf, endOf, draining, wheel, coalescer, keepAliveMs } = this.#terms
    const mayStay = !answer.closes && exchange.bodyEnded && exchange.head.keepAlive
    // While the server drains, calls already received are answered before the connection closes.
    const stays =
      mayStay && (!draining(socket) || (this.#working ? this.#hasMore : this.#held !== null))
    let head = startOf(answer.status)
    for (const { text } of answer.fixed) head += text
    head += toLines(answer.own) + endOf(stays)
    this.#unsent += head + answer.text
    this.#unsentAscii &&= answer.ascii
    this.#exchange = null
    this.#answered = true
    this.dueTick = wheel.tickAfter(keepAliveMs)
    if (!stays || this.#unsent.length > unsentCharsMax || !coalescer.holds(this)) this.send()
    if (!stays) this.#end(exchange.bodyBytesLeft)
    else if (!this.#working) this.#goOn()
  }

  /** Writes the waiting replies. */
  send(): void {
    const { socket } = this
    const text = this.#unsent
    if (text === '') return
    const encoding = this.#unsentAscii ? 'latin1' : 'utf8'
    this.#unsent = ''
    this.#unsentAscii = true
    if (!socket.writable) return
    socket.write(text, encoding)
    this.#flushing = socket.writableLength > 0
    if (this.#flushing) this.dueTick = this.#terms.wheel.tickAfter(flushMs)
  }

  /**
   * Called after the last reply. A client that is still sending its body would lose the reply if the connection closed immediately.
   */
  #end(bytesLeft: number): void {
    this.#ended = true
    this.#exchange = null
    this.#held = null
    this.#discard = bytesLeft
    if (bytesLeft === 0) {
      this.socket.destroySoon()
      return
    }
    this.#stopDiscarding = this.#terms.clock.after(discardMs, () => this.socket.destroySoon())
  }

  #throwAway(bytes: Buffer): void {
    this.#discard -= bytes.length
    if (this.#discard <= 0) this.socket.destroySoon()
  }

  /** The client sends no more bytes. */
  readonly #onEnd = (): void => {
    const { socket } = this
    const exchange = this.#exchange
    this.send()
    if (this.#ended) socket.destroySoon()
    else if (exchange === null) socket.end()
    else if (exchange.bodyEnded) {
      // node:http does not answer such a client either.
      this.#end(0)
      exchange.hangUp()
    } else this.#refuse(400)
  }

  onDue(): void {
    if (this.#exchange !== null) return
    if (this.#flushing && this.socket.writableLength === 0) {
      this.#flushing = false
      this.dueTick = this.#terms.wheel.tickAfter(this.#terms.keepAliveMs)
    } else if (this.#answered) this.socket.destroy()
    else this.#refuse(408)
  }

  /** Refuses an invalid request as node:http does. */
  #refuse(status: number): void {
    this.send()
    this.socket.write(`${this.#terms.startOf(status)}Connection: close\r\n\r\n`, 'latin1')
    this.socket.destroy()
  }

  // The `close` event, which follows, handles the error.
  readonly #onError = (): void => {}

  readonly #onClose = (): void => {
    this.#leave()
    this.#exchange?.hangUp()
  }

  #leave(): void {
    const { socket } = this
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain)
    socket.off('error', this.#onError).off('close', this.#onClose)
    this.#ended = true
    this.#stopDiscarding?.()
    this.#terms.left(this)
  }
}

/** The owner changes `dueTick`; `onDue` is called at that tick and every later one. */
type Idler = { readonly dueTick: number; onDue(): void }

export type IdleWheel = {
  add(idler: Idler): void
  remove(idler: Idler): void
  /** The tick after `ms` from now: never earlier, at most two periods later. */
  tickAfter(ms: number): number
  /** Milliseconds since `tickAfter(ms)` returned this tick, to the precision of a period. */
  sinceTickAfter(tick: number, ms: number): number
  stop(): void
}

/** The server's limit of connections limits the number of entries. */
export function createIdleWheel(periodMs: number, clock: Clock): IdleWheel {
  const idlers = new Set<Idler>()
  let tick = 0
  const stop = clock.every(periodMs, () => {
    tick += 1
    for (const idler of idlers) if (idler.dueTick <= tick) idler.onDue()
  })
  return {
    add: (idler) => void idlers.add(idler),
    remove: (idler) => void idlers.delete(idler),
    tickAfter: (ms) => tick + Math.ceil(ms / periodMs) + 1,
    sinceTickAfter: (due, ms) => (tick + Math.ceil(ms / periodMs) + 1 - due) * periodMs,
    stop,
  }
}

/** `send` writes the held text, if there is any. Never throws. */
type Sender = { send(): void }

export type WriteCoalescer = {
  /** True: `sender.send` is called before the turn ends. False: the caller must send immediately. */
  holds(sender: Sender): boolean
}

/** With at least this many replies in a turn, coalescing continues. */
const crowd = 4
/** After a turn with fewer replies, this many are sent immediately before coalescing is tried again. */
const atOnceMax = 32
/** Maximum of held replies, which limits their delay. */
const queuedSendersMax = 64

/** One instance serves all connections of a listener. */
export function createWriteCoalescer(): WriteCoalescer {
  let queuedSenders: Sender[] = []
  let answers = 0
  let atOnce = 0
  let ending = false

  function sendQueued(): void {
    const senders = queuedSenders
    queuedSenders = []
    for (const sender of senders) sender.send()
  }

  function endTurn(): void {
    ending = false
    if (answers < crowd) atOnce = atOnceMax
    sendQueued()
  }

  return {
    holds(sender) {
      if (!ending) {
        if (atOnce > 0) {
          atOnce -= 1
          return false
        }
        ending = true
        answers = 0
        setImmediate(endTurn)
      }
      answers += 1
      queuedSenders.push(sender)
      if (queuedSenders.length >= queuedSendersMax) sendQueued()
      return true
    },
  }
}
