// One kept connection to an upstream, with one exchange on it at a time: a request is one write, and the response is read
// where it lies, with no stream between. Ends with everything that is not as it should be.
// Tested by src/ethereum/upstream/node/connections.test.ts
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '../../../base/clock.ts'
import type { BusyPoll } from './busy-poll.ts'
import type { UpstreamExchange } from './exchange.ts'
import type { ReadReplyHead } from './reply-head.ts'
import { ReplyReader } from './reply-reader.ts'

/** What all connections of one client share. */
export type ConnectionOwner = {
  readonly url: URL
  /** The head of each request up to the number of its body's bytes. */
  readonly head: string
  readonly connectMs: number
  /** How long a connection is kept idle when the upstream does not say. */
  readonly idleMs: number
  readonly headBytesMax: number
  readonly readReplyHead: ReadReplyHead
  readonly clock: Clock
  /** Is told of each request, and of its end. */
  readonly busyPoll: BusyPoll
  /** What is read, of whichever connection: used up before the next read. */
  readonly room: Buffer
  /** Of the last connection over TLS, which the next one goes on with. */
  session: Buffer | null
  onIdle(connection: Connection): void
  onEnded(connection: Connection): void
}

const otherSideClosed = 'other side closed'
/** What it looks like when an idle connection is closed in the moment in which it is written to. */
const closings: ReadonlySet<string> = new Set([otherSideClosed, 'ECONNRESET', 'EPIPE'])

export class Connection {
  readonly #owner: ConnectionOwner
  readonly #socket: Socket
  readonly #stopTimer: () => void
  #exchange: UpstreamExchange | null
  #reader: ReplyReader | null = null
  #hasAnswered = false
  /** Of the response that is awaited. */
  #hasBegun = false
  #hasEnded = false
  #idleUntil = 0
  /** Of the request whose response is awaited. */
  #sentAt: number | null = null

  /** Connects, then sends what `first` asks for. */
  constructor(owner: ConnectionOwner, first: UpstreamExchange) {
    this.#owner = owner
    this.#exchange = first
    this.#socket = openSocket(owner, (bytes) => this.#onBytes(bytes))
    this.#stopTimer = owner.clock.after(owner.connectMs, () => this.end('ETIMEDOUT'))
    const isSecure = owner.url.protocol === 'https:'
    this.#socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      this.#stopTimer()
      this.#send()
    })
    this.#socket.on('session', (session: Buffer) => (owner.session = session))
    this.#socket.on('end', () => this.#onEnd())
    // The code alone: texts may name the host.
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.end(error.code ?? 'broken connection'),
    )
    this.#socket.on('close', () => this.end(otherSideClosed))
    first.onConnection(this)
  }

  /** By the monotonic clock; of one that is idle. */
  get idleUntil(): number {
    return this.#idleUntil
  }

  /** Only of one that is idle. */
  start(exchange: UpstreamExchange): void {
    this.#exchange = exchange
    exchange.onConnection(this)
    this.#send()
  }

  /** What is on it fails, with `why`. */
  end(why: string): void {
    const exchange = this.#exchange
    const isStale = this.#hasAnswered && !this.#hasBegun && closings.has(why)
    this.leave()
    exchange?.onError(why, isStale)
  }

  /** What is on it is not wanted any longer. */
  leave(): void {
    this.#exchange = null
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#stopTimer()
    this.#stopWaiting(false)
    this.#socket.destroy()
    this.#owner.onEnded(this)
  }

  #send(): void {
    const exchange = this.#exchange
    if (exchange === null) return
    this.#hasBegun = false
    this.#reader = new ReplyReader(exchange, this.#owner)
    exchange.onSent()
    const { body } = exchange
    const length = Buffer.byteLength(body)
    const head = `${this.#owner.head}${length}\r\n\r\n`
    // One write. A text in latin1 needs no copy; what callers wrote may be of more characters than that has.
    if (length === body.length) this.#socket.write(head + body, 'latin1')
    else this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]))
    this.#sentAt = this.#owner.busyPoll.sent()
  }

  #stopWaiting(isAnswered: boolean): void {
    if (this.#sentAt !== null) this.#owner.busyPoll.ended(this.#sentAt, isAnswered)
    this.#sentAt = null
  }

  #onBytes(count: number): boolean {
    const reader = this.#reader
    if (reader === null || this.#exchange === null) {
      this.end('bytes that nobody asked for')
      return true
    }
    this.#hasBegun = true
    const wrong = reader.push(this.#owner.room.subarray(0, count))
    if (reader.isOver) this.#finish(reader, wrong === null)
    else if (wrong !== null) this.end(wrong)
    return true
  }

  #onEnd(): void {
    if (this.#exchange !== null && this.#reader?.end() === true) this.leave()
    else this.end(otherSideClosed)
  }

  #finish({ idleMs }: ReplyReader, isGood: boolean): void {
    if (this.#hasEnded) return
    this.#stopWaiting(true)
    const ms = idleMs ?? this.#owner.idleMs
    if (!isGood || ms <= 0) return this.leave()
    this.#exchange = null
    this.#reader = null
    this.#hasAnswered = true
    this.#idleUntil = this.#owner.clock.monotonic() + ms
    this.#owner.onIdle(this)
  }
}

/** As much of a silent connection as the system does by itself. */
const probeMs = 60_000

function openSocket(
  { url, room, session }: ConnectionOwner,
  callback: (bytes: number) => boolean,
): Socket {
  const isSecure = url.protocol === 'https:'
  const options = {
    // Of an IPv6 address without its brackets.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: probeMs,
    onread: { buffer: room, callback },
  }
  if (!isSecure) return connect(options)
  return connectTls({
    ...options,
    ALPNProtocols: ['http/1.1'],
    // A host of many names answers for the one that is asked; an address is no name (RFC 6066, 3).
    ...(isIP(options.host) === 0 ? { servername: options.host } : {}),
    ...(session === null ? {} : { session }),
  })
}
