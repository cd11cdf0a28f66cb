// Requests to one origin over persistent connections, with undici. Replies are read with a size limit, only the configured origin
// is contacted, and errors contain no URL, because it may hold a key.
// Tested by src/ipfs/sources/gateway-source.test.ts
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import {
  describeHttpError,
  headersFor,
  isUnencoded,
  openPool,
  readDate,
  readMaxAge,
  readRetryAfter,
} from '../../base/http-origin.ts'

export type HttpClientOptions = {
  /** Its origin, credentials, path prefix and query are used for every request. */
  readonly url: string
  /** Sent with each request; may hold secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Maximum number of sockets, and so of concurrent requests; further ones are queued. */
  readonly connections: number
  /** As `PoolLimits.pinned`. */
  readonly pinned?: string
  /** As `PoolLimits.lookup`. */
  readonly lookup?: LookupFunction
  readonly clock: Clock
}

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the URL's own path: `/ipfs/bafk…`. */
  readonly path: string
  /** Query parameters, in this order, after those of the URL. */
  readonly query?: readonly (readonly [string, string])[]
  readonly headers?: Readonly<Record<string, string>>
  /** An exception of the body aborts the request. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>
  /** Maximum size of the reply body. */
  readonly replyBytesMax: number
  /** Time limit from the start to the last byte. */
  readonly timeoutMs: number
}

/** A reply whose body is streamed; a consumer that stops early has to end the iteration. */
export type HttpStream = {
  readonly status: number
  readonly retryAfterMs: number | null
  /** Size of the content as claimed by Kubo (`X-Content-Length`); null: not stated. */
  readonly contentBytes: number | null
  /** From Cache-Control; null: not stated. */
  readonly maxAgeMs: number | null
  /** Throws HttpTrouble if the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>
}

export type HttpReply = {
  readonly status: number
  /** Value of Retry-After; null: not stated. */
  readonly retryAfterMs: number | null
  /** Clock of the server, milliseconds since 1970; null: not stated. */
  readonly date: number | null
  readonly bytes: Uint8Array
}

/** Why there is no reply. The message contains no URL. */
export class HttpTrouble extends Error {
  override readonly name = 'HttpTrouble'
}

export type HttpClient = {
  /**
   * Reads the whole reply, whatever its status. Redirects of a GET within the origin are followed, three at most. Throws
   * HttpTrouble, or `signal.reason` when that aborts; the connection is then closed too.
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>
  /** As `send`, without a size limit; `timeoutMs`: maximum time without data. */
  open(request: Omit<HttpRequest, 'replyBytesMax'>, signal: AbortSignal): Promise<HttpStream>
  /** Aborts pending requests with HttpTrouble. */
  close(): Promise<void>
}

const connectMs = 5_000
const redirectsMax = 3
/** An endless body must end even if no timer of this client runs. */
const silenceMsMax = 600_000

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { clock } = options
  const base = new URL(options.url)
  const headers = headersFor(base, options.headers)
  const { connections, pinned, lookup } = options
  const pool = openPool(base, {
    connections,
    connectMs,
    silenceMs: silenceMsMax,
    ...(pinned === undefined ? {} : { pinned }),
    ...(lookup === undefined ? {} : { lookup }),
  })

  async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    signal.throwIfAborted()
    using deadline = withDeadline(signal, request.timeoutMs, clock)
    try {
      return await follow(request, deadline.signal)
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      if (deadline.signal.aborted) {
        throw new HttpTrouble(`no answer in ${request.timeoutMs} ms`, { cause: thrown })
      }
      throw thrown instanceof HttpTrouble ? thrown : new HttpTrouble(describeHttpError(thrown))
    }
  }

  async function follow(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    const response = await dispatch(request, signal, request.timeoutMs)
    const { status, retryAfterMs } = headOf(response)
    const date = readDate(response.headers['date'])
    return { status, retryAfterMs, date, bytes: await readCapped(response, request.replyBytesMax) }
  }

  async function open(
    request: Omit<HttpRequest, 'replyBytesMax'>,
    signal: AbortSignal,
  ): Promise<HttpStream> {
    signal.throwIfAborted()
    try {
      const response = await dispatch(request, signal, request.timeoutMs)
      const contentBytes = readLength(response.headers['x-content-length'])
      const maxAgeMs = readMaxAge(response.headers['cache-control'])
      return { ...headOf(response), contentBytes, maxAgeMs, body: piecesOf(response, signal) }
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      throw thrown instanceof HttpTrouble ? thrown : new HttpTrouble(describeHttpError(thrown))
    }
  }

  /** The final response after redirects. */
  async function dispatch(
    request: Omit<HttpRequest, 'replyBytesMax'>,
    signal: AbortSignal,
    silenceMs: number,
  ): Promise<Response> {
    const { method, body = null } = request
    let path = pathOf(base, request)
    for (let redirects = 0; ; redirects += 1) {
      const response = await pool.request({
        path,
        method,
        headers: { ...headers, ...request.headers },
        body: body === null || body instanceof Uint8Array ? body : Readable.from(body),
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
        signal,
      })
      const target = method === 'GET' ? redirectOf(response, base, path) : null
      if (target === null) return response
      discard(response)
      if (target.origin !== base.origin) throw new HttpTrouble('a redirect to another origin')
      if (redirects === redirectsMax) throw new HttpTrouble(`more than ${redirectsMax} redirects`)
      path = target.pathname + target.search
    }
  }

  function headOf({ statusCode, headers: received }: Response) {
    return {
      status: statusCode,
      retryAfterMs: readRetryAfter(received['retry-after'], clock.now()),
    }
  }

  return { send, open, close: () => pool.destroy() }
}

type Response = Dispatcher.ResponseData

async function* piecesOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    mustBePlain(response)
    yield* response.body as AsyncIterable<Uint8Array>
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    throw thrown instanceof HttpTrouble ? thrown : new HttpTrouble(describeHttpError(thrown))
  } finally {
    discard(response)
  }
}

// Compressed content was not requested: the limit must count the bytes that the source sends.
function mustBePlain({ headers }: Response): void {
  if (!isUnencoded(headers)) {
    throw new HttpTrouble('a reply with a content encoding')
  }
}

async function readCapped(response: Response, bytesMax: number): Promise<Uint8Array> {
  const { headers, body } = response
  try {
    mustBePlain(response)
    const declared = Number(headers['content-length'] ?? 0)
    if (declared > bytesMax) throw tooLarge(bytesMax)
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      length += chunk.length
      if (length > bytesMax) throw tooLarge(bytesMax)
      chunks.push(chunk)
    }
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  } catch (thrown) {
    discard(response)
    throw thrown
  }
}

function tooLarge(bytesMax: number): HttpTrouble {
  return new HttpTrouble(`a reply of more than ${bytesMax} bytes`)
}

/** Closes the connection without reading the rest of the body. */
function discard({ body }: Response): void {
  body.on('error', () => {})
  body.destroy()
}

/** Target of a redirect; null: none. Throws if it is not a URL. */
function redirectOf({ statusCode, headers }: Response, base: URL, path: string): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null
  const { location } = headers
  const from = new URL(path, base.origin)
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw new HttpTrouble('a redirect without a valid target')
  }
  return new URL(location, from.href)
}

function pathOf(base: URL, { path, query = [] }: Pick<HttpRequest, 'path' | 'query'>): string {
  const pairs = new URLSearchParams(query.map(([name, value]) => [name, value] as [string, string]))
  const search = [base.search.slice(1), pairs.toString()].filter((part) => part !== '').join('&')
  return `${base.pathname.replace(/\/$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

function readLength(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null
}
