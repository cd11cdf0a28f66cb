// Shared part of Cairn's HTTP clients: undici connections to one origin, with limits, without undici's redirects and
// retries; credentials in a URL; parsing of headers; descriptions of errors.
import { decodeOrSame } from './decode-or-same.ts'
import { createRequire } from 'node:module'
import type { LookupFunction } from 'node:net'
import type * as Undici from 'undici'

export type PoolLimits = {
  /** Concurrent requests, one per connection; more wait in the pool's queue, which has no limit. */
  readonly connections: number
  readonly connectMs: number
  /** Idle timeout of a response, before its head and between pieces of its body. */
  readonly silenceMs: number
  /** Maximum size of a response body. */
  readonly replyBytesMax?: number
  /** PEM text: the only certificate to accept, for any host name; absent: certificates of known issuers. */
  readonly pinned?: string
  /** Replaces the system's lookup, for untrusted origins. */
  readonly lookup?: LookupFunction
}

/** Shorter than the keep-alive of common servers (node 5 s, nginx 75 s, geth 120 s), unless they announce a longer one. */
const idleMs = 4_000
const headBytesMax = 16 * 1024
const retryAfterMsMax = 10 * 60_000

/** Loaded with the first client, because it takes tens of milliseconds of the server's start. */
export function loadUndici(): typeof Undici {
  return createRequire(import.meta.url)('undici') as typeof Undici
}

/** `factory`: creates the client of each connection. */
export function openPool(
  { origin }: URL,
  { connections, connectMs, silenceMs, replyBytesMax, pinned, lookup }: PoolLimits,
  factory?: (origin: URL, options: object) => Undici.Dispatcher,
): Undici.Pool {
  const { Pool } = loadUndici()
  return new Pool(origin, {
    connections,
    // One request per connection at a time: undici then never resends a request on its own.
    pipelining: 1,
    allowH2: false,
    connectTimeout: connectMs,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: idleMs,
    maxHeaderSize: headBytesMax,
    ...(replyBytesMax === undefined ? {} : { maxResponseSize: replyBytesMax }),
    ...(factory === undefined ? {} : { factory }),
    ...(pinned === undefined ? {} : { connect: pinnedTo(pinned) }),
    ...(lookup === undefined ? {} : { connect: { lookup } }),
  })
}

/** Only the owner of the private key of `ca` can pass, so host names need no check. */
function pinnedTo(ca: string) {
  return { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
}

/** Headers of each request, by lower-case name. Credentials in the URL are sent as Basic; `given` takes precedence. */
export function headersFor(
  url: URL,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  // No compression: limits apply to the transferred bytes.
  const headers: Record<string, string> = { 'accept-encoding': 'identity', 'user-agent': 'cairn' }
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeOrSame(url.username)}:${decodeOrSame(url.password)}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value
  return headers
}

type Header = string | string[] | undefined

/** Seconds or an HTTP date (RFC 9110, 10.2.3); null if absent or invalid. At most ten minutes. */
export function readRetryAfter(header: Header, now: number): number | null {
  if (typeof header !== 'string') return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax)
}

/** `max-age` of Cache-Control (RFC 9111, 5.2.2.1); null if absent. */
export function readMaxAge(header: Header): number | null {
  const found = typeof header === 'string' ? /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header) : null
  return found === null ? null : Number(found[1]) * 1000
}

/** Milliseconds since 1970 UTC (RFC 9110, section 6.6.1); null if absent. */
export function readDate(header: Header): number | null {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

/** True if the body has no content coding. undici decodes only the chunked transfer coding. */
export function isUnencoded(headers: Readonly<Record<string, Header>>): boolean {
  const content = headers['content-encoding'] ?? 'identity'
  const transfer = headers['transfer-encoding'] ?? 'chunked'
  return content === 'identity' && String(transfer).toLowerCase() === 'chunked'
}

/** Returns only the error code, because messages of undici and of the system may contain the host. */
export function codeOf(thrown: unknown): string | null {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
  return typeof code === 'string' ? code : null
}

const texts: Readonly<Record<string, string>> = {
  UND_ERR_BODY_TIMEOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'a head that is too large',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'a reply that is cut',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'a reply that is too large',
  UND_ERR_SOCKET: 'other side closed',
}

/** Why there is no response, without the host: a text for undici's codes, else the code (`ECONNREFUSED`). */
export function describeHttpError(thrown: unknown): string {
  const code = codeOf(thrown)
  if (code === null) return 'broken connection'
  return code.startsWith('HPE_') ? 'no HTTP response' : (texts[code] ?? code)
}
