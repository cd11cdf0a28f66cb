// The heads that an upstream pushes over WebSocket (`eth_subscribe newHeads`). They are hints only: after a pushed head
// Cairn requests the upstream's head immediately. Reconnects until it is stopped.
// Tested by src/chain/upstream/node/head-feed.test.ts
import { type RawData, WebSocket } from 'ws'
import type { Clock } from '../../../base/clock.ts'
import { fromHex } from '../../../base/hex.ts'
import { type Log, silentLog } from '../../../base/log.ts'

export type HeadFeed = {
  /** The upstream has accepted the subscription. */
  readonly isLive: boolean
  /** Closes the connection. */
  stop(): void
}

export type HeadFeedOptions = {
  /** Name of the upstream in the log. */
  readonly name: string
  /** ws or wss; may contain credentials. */
  readonly url: string
  /** True: derived from the upstream's URL, so a WebSocket endpoint may not exist. */
  readonly isGuess: boolean
  /** Sent with the upgrade; may contain secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly log: Log
  /**
   * A block was pushed, with its hash of 32 bytes. While the promise is pending nothing is read from the socket; of the
   * blocks already read, the newest is delivered next.
   */
  readonly onHead: (hash: Uint8Array) => Promise<void>
}

export const headFeedLimits = {
  /** For the upgrade and the reply to the subscription. */
  connectMs: 10_000,
  /** An upstream that sends nothing between two pings is disconnected. */
  pingMs: 30_000,
  /** Limit of one message: a header is about 2 KB, and some nodes add the block's transactions. */
  messageBytesMax: 1024 * 1024,
  /** Average time between calls of `onHead`, and the calls of one burst. */
  headsApartMs: 100,
  headsAtOnce: 8,
  /** Delay of the next connection: the first after a good one, then doubled each time, up to the maximum. */
  retryMs: 1_000,
  retryMsMax: 60_000,
  /** Delay for a guessed URL that does not accept WebSockets. */
  absentMs: 3_600_000,
} as const

const subscribeId = 1
const subscribe = JSON.stringify({
  jsonrpc: '2.0',
  id: subscribeId,
  method: 'eth_subscribe',
  params: ['newHeads'],
})

/** The WebSocket URL that the node of an http(s) URL usually has: the same host and path. */
export function guessWebSocketUrl(url: string): string {
  return url.replace(/^http/i, 'ws')
}

export function createHeadFeed(options: HeadFeedOptions): HeadFeed {
  const { name, clock, log } = options
  let connection: Connection | null = null
  let stopRetry: (() => void) | null = null
  /** Consecutive connections that delivered no head. */
  let failures = 0
  let wasLive = false
  let isStopped = false

  function connect(): void {
    const opened = new Connection(options, {
      onLive() {
        wasLive = true
        log('info', 'heads_pushed', { upstream: name })
      },
      onHead: async (hash) => {
        failures = 0
        await options.onHead(hash)
      },
      onEnd,
    })
    connection = opened
    opened.open()
  }

  function onEnd({ why, isRefused, isLive }: End): void {
    connection = null
    if (isStopped) return
    const isAbsent = isRefused && options.isGuess && !wasLive
    const { retryMs, retryMsMax, absentMs } = headFeedLimits
    const doubled = retryMs * 2 ** Math.min(failures, 16)
    const againMs = isAbsent ? absentMs : isRefused ? retryMsMax : Math.min(doubled, retryMsMax)
    const isNews = isLive || (failures === 0 && !options.isGuess)
    failures += 1
    log(isNews ? 'warn' : 'debug', 'heads_not_pushed', { upstream: name, why, againMs })
    stopRetry = clock.after(againMs, connect)
  }

  connect()
  return {
    get isLive() {
      return connection?.isLive ?? false
    },
    stop() {
      isStopped = true
      stopRetry?.()
      connection?.end('stopped')
    },
  }
}

/**
 * True if the upstream accepts a subscription to new heads now. `wsUrl` as in the settings; null: false, without a
 * connection. Takes at most `headFeedLimits.connectMs`. Throws nothing.
 */
export async function acceptsHeadFeed(
  {
    url,
    wsUrl,
    headers,
  }: Pick<HeadFeedOptions, 'url' | 'headers'> & {
    readonly wsUrl?: string | null | undefined
  },
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  if (wsUrl === null) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const onHead = async (): Promise<void> => {}
  const connection = new Connection(
    {
      name: '',
      url: wsUrl ?? guessWebSocketUrl(url),
      isGuess: true,
      headers,
      clock,
      log: silentLog,
      onHead,
    },
    { onLive: () => resolve(true), onHead, onEnd: () => resolve(false) },
  )
  const stop = (): void => connection.end('stopped')
  signal.addEventListener('abort', stop, { once: true })
  if (!signal.aborted) connection.open()
  try {
    return signal.aborted ? false : await promise
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** `why`: the reason, without hosts and texts of the upstream. `isRefused`: the upstream does not support the subscription. */
type End = { readonly why: string; readonly isRefused: boolean; readonly isLive: boolean }

type Listeners = {
  readonly onLive: () => void
  readonly onHead: (hash: Uint8Array) => Promise<void>
  /** Called once. */
  readonly onEnd: (end: End) => void
}

/** One WebSocket with one subscription. Throws nothing. */
class Connection {
  readonly #options: HeadFeedOptions
  readonly #listeners: Listeners
  readonly #stops: (() => void)[] = []
  #stopDeadline: () => void = () => {}
  #socket: WebSocket | null = null
  #subscription: string | null = null
  #hasEnded = false
  /** True if anything was received since the last ping. */
  #isHeard = true
  #isBusy = false
  /** Monotonic time at which all calls of `onHead` so far would have been 100 ms apart. */
  #spentUntil = 0
  /** The newest block pushed while another was processed. */
  #next: Uint8Array | null = null

  constructor(options: HeadFeedOptions, listeners: Listeners) {
    this.#options = options
    this.#listeners = listeners
  }

  get isLive(): boolean {
    return this.#subscription !== null
  }

  open(): void {
    const { url, headers, clock } = this.#options
    this.#stopDeadline = clock.after(headFeedLimits.connectMs, () =>
      this.end('no subscription in time'),
    )
    this.#stops.push(this.#stopDeadline)
    try {
      const socket = new WebSocket(url, {
        headers: { ...headers, 'user-agent': 'cairn' },
        perMessageDeflate: false,
        followRedirects: false,
        maxPayload: headFeedLimits.messageBytesMax,
      })
      this.#socket = socket
      socket.on('open', () => socket.send(subscribe, () => {}))
      socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
      socket.on('pong', () => (this.#isHeard = true))
      socket.on('unexpected-response', (_request, { statusCode = 0 }) =>
        this.end(`status ${statusCode}`, statusCode < 500 && statusCode !== 429),
      )
      // Logs only the code, because the text may contain the host.
      socket.on('error', (error: NodeJS.ErrnoException) =>
        this.end(error.code ?? 'broken connection'),
      )
      socket.on('close', (code) => this.end(`closed with ${code}`))
      this.#stops.push(clock.every(headFeedLimits.pingMs, () => this.#ping()))
    } catch {
      this.end('it cannot be connected to')
    }
  }

  /** Takes effect immediately; later messages are ignored. */
  end(why: string, isRefused = false): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const stop of this.#stops) stop()
    const { isLive } = this
    this.#subscription = null
    this.#next = null
    this.#socket?.terminate()
    this.#listeners.onEnd({ why, isRefused, isLive })
  }

  #ping(): void {
    // While reading is paused, no pong can arrive.
    if (this.#isBusy || this.#socket?.readyState !== WebSocket.OPEN) return
    if (!this.#isHeard) return this.end('silent')
    this.#isHeard = false
    this.#socket.ping(() => {})
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#hasEnded) return
    this.#isHeard = true
    const message = isBinary ? null : parse(data)
    if (message === null) return this.end('a message that is no JSON object')
    if (this.#subscription === null) return this.#onReply(message)
    const { method, params } = message
    if (method !== 'eth_subscription' || !isObject(params)) return
    if (params['subscription'] !== this.#subscription || !isObject(params['result'])) return
    const { hash } = params['result']
    if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) this.#look(fromHex(hash))
  }

  #onReply({ id, result, error }: Message): void {
    if (id !== subscribeId) return
    if (error !== undefined || typeof result !== 'string' || result === '') {
      return this.end('it has no subscription to heads', true)
    }
    this.#stopDeadline()
    this.#subscription = result
    this.#listeners.onLive()
  }

  #look(hash: Uint8Array): void {
    this.#next = hash
    if (this.#isBusy) return
    this.#isBusy = true
    this.#socket?.pause()
    void this.#lookAtNext()
  }

  async #lookAtNext(): Promise<void> {
    const { clock, log, name } = this.#options
    try {
      for (let hash = this.#take(); hash !== null; hash = this.#take()) {
        const delayMs = this.#spend()
        await this.#listeners.onHead(hash)
        if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve))
      }
    } catch (error) {
      log('error', 'pushed_head_failed', { upstream: name, error })
    }
    this.#isBusy = false
    this.#isHeard = true
    this.#socket?.resume()
  }

  /** Counts one call of `onHead`. Returns the milliseconds to wait after it. */
  #spend(): number {
    const { headsApartMs, headsAtOnce } = headFeedLimits
    const now = this.#options.clock.monotonic()
    this.#spentUntil = Math.max(this.#spentUntil, now) + headsApartMs
    return this.#spentUntil - now - (headsAtOnce - 1) * headsApartMs
  }

  #take(): Uint8Array | null {
    const hash = this.#next
    this.#next = null
    return hash
  }
}

type Message = Readonly<Record<string, unknown>>

function parse(data: RawData): Message | null {
  try {
    const value: unknown = JSON.parse((data as Buffer).toString('utf8'))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
