// One JSON-RPC call as one POST to one upstream. The reply is read within limits. Anything but a well-formed answer to this call is
// `trouble`.
import type { Socket } from 'node:net'
import type { Client, buildConnector } from 'undici'
import { type PoolLimits, headersFor, loadUndici, openPool } from '../../../base/http-origin.ts'
import { type Connection, type ExchangeOwner, UpstreamExchange } from './exchange.ts'
import type { Clock } from '../../../base/clock.ts'
import { readReply } from './read-reply.ts'
import { type Redact, createHide, createRedact } from './redact.ts'
import { UpstreamError } from './upstream-error.ts'

export type Connections = {
  dispatch(exchange: UpstreamExchange): void
  /** Closes all connections; pending and later exchanges end with an error. */
  close(): Promise<void>
}

/** `headers`: sent with each request. */
export function openConnections(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: PoolLimits,
): Connections {
  const request = {
    method: 'POST',
    path: url.pathname + url.search,
    headers: Object.entries(headers).flat(),
  } as const
  const pool = openPool(url, limits, openConnection)
  return {
    dispatch: (exchange) => void pool.dispatch({ ...request, body: exchange.body }, exchange),
    close: () => pool.destroy(),
  }
}

/** The pool passes the connector that it made to its clients. */
type ClientOptions = Client.Options & { readonly connect: buildConnector.connector }

function openConnection(origin: URL, given: object): Client {
  const options = given as ClientOptions
  let socket: Socket | null = null
  const connection: Connection = { hasAnswered: false, end: () => void socket?.destroy() }
  const client = new (loadUndici().Client)(origin, {
    ...options,
    connect(target, done) {
      connection.hasAnswered = false
      options.connect(target, (...result) => {
        socket = result[1]
        done(...result)
      })
    },
  })
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (request, handler) => {
    if (handler instanceof UpstreamExchange) handler.onConnection(connection)
    return dispatch(request, handler)
  }
  return client
}

/** Params of a call: values, or their JSON text exactly as it is sent. */
export type Params = readonly unknown[] | { readonly json: string }

export type JsonRpcClientOptions = {
  readonly url: string
  /** The WebSocket URL for pushed heads; this module only redacts its secrets. */
  readonly wsUrl?: string | null | undefined
  /** Sent with each call; may contain secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Number of sockets, and so of parallel calls; further calls are queued. */
  readonly connections: number
  /** Time limit of one call, from its start to the last byte of the reply. */
  readonly timeoutMs: number
  readonly replyBytesMax: number
  readonly clock: Clock
}

export type JsonRpcClient = {
  /**
   * The `result` of the reply, any JSON value, or another member of a reply that has a result. `repeatable`: a read, repeated once
   * if a reused socket turns out to have been closed. `replyBytesMax`: smaller than the client's limit. Throws UpstreamError, or
   * `signal.reason` if that aborts; then the socket is closed too.
   */
  call(
    method: string,
    params: Params,
    options: {
      readonly repeatable: boolean
      readonly replyBytesMax?: number
      readonly member?: string
    },
    signal: AbortSignal,
  ): Promise<unknown>
  readonly redact: Redact
  /** Ends the calls in flight with `trouble`. */
  close(): Promise<void>
}

const connectMsMax = 5_000
/** Limit for bodies being read in parallel, as a multiple of the largest one allowed. */
const bufferedReplies = 4
/** Calls queued for a connection, per connection. */
const queuedPerConnection = 16

export function createJsonRpcClient(options: JsonRpcClientOptions): JsonRpcClient {
  const { connections, timeoutMs, replyBytesMax, clock } = options
  const url = new URL(options.url)
  const { wsUrl = null } = options
  const places = wsUrl === null ? [url] : [url, new URL(wsUrl)]
  const redact = createRedact(places, options.headers)
  const hide = createHide(url)
  const owner: ExchangeOwner = {
    bufferedBytes: 0,
    bufferedBytesMax: replyBytesMax * bufferedReplies,
    queuedCalls: 0,
    queuedCallsMax: connections * queuedPerConnection,
    dispatch: (exchange) => pooled.dispatch(exchange),
    now: () => clock.now(),
  }
  const json = { 'content-type': 'application/json', accept: 'application/json' }
  const headers = headersFor(url, { ...json, ...options.headers })
  const pooled = openConnections(url, headers, {
    connections,
    connectMs: Math.min(timeoutMs, connectMsMax),
    silenceMs: timeoutMs,
    replyBytesMax,
  })
  let calls = 0

  return {
    redact,
    async call(method, params, { repeatable, replyBytesMax: most, member }, signal) {
      signal.throwIfAborted()
      const id = ++calls
      const text = 'json' in params ? params.json : JSON.stringify(params)
      const body = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${text}}`
      const exchange = new UpstreamExchange(
        owner,
        { body, replyBytesMax: most ?? replyBytesMax, mayRepeat: repeatable },
        signal,
      )
      const stopTimer = clock.after(timeoutMs, () => exchange.outOfTime())
      exchange.send()
      try {
        return readReply(await exchange.response, { id, body, redact, hide, member })
      } catch (error) {
        if (isOutOfStep(error)) exchange.distrust()
        throw error
      } finally {
        stopTimer()
      }
    },
    close: () => pooled.close(),
  }
}

/** A well-formed response that does not answer this call: it may answer an earlier request, or that of another caller. */
function isOutOfStep(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.kind !== 'trouble') return false
  return error.status !== null && error.status >= 200 && error.status <= 299
}
