// Shared part of Cairn's HTTP clients: undici connections to one origin, with limits, without undici's redirects and
// retries; credentials in a URL; texts of replies and errors.
import { decodeOrSame } from './decode-or-same.ts'
import { createRequire } from 'node:module'
import type { LookupFunction } from 'node:net'
import type * as Undici from 'undici'

export type PoolLimits = {
  /** Concurrent requests, one per connection; more wait in the pool's queue, which has no limit. */
  readonly connections: number
  readonly connectMs: number
  /** How long a response may keep silent, before its head and between pieces of its body. */
  readonly silenceMs: number
  /** Longest body of a response. */
  readonly replyBytesMax?: number
  /** PEM text: the only certificate to accept, whatever its names; absent: those of known issuers. */
  readonly pinned?: string
  /** Instead of the system's: for origins that strangers name. */
  readonly lookup?: LookupFunction
}

/** Shorter than the keep-alive of common servers (node 5 s, nginx 75 s, geth 120 s), unless they announce a longer one. */
const idleMs = 4_000
const headBytesMax = 16 * 1024
const retryAfterMsMax = 10 * 60_000

/** With the first client: a server without any starts tens of milliseconds sooner. */
export function loadUndici(): typeof Undici {
  return createRequire(import.meta.url)('undici') as typeof Undici
}

/** `factory`: makes the client of each connection. */
export function openPool(
  { origin }: URL,
  { connections, connectMs, silenceMs, replyBytesMax, pinned, lookup }: PoolLimits,
  factory?: (origin: URL, options: object) => Undici.Dispatcher,
): Undici.Pool {
  const { Pool } = loadUndici()
  return new Pool(origin, {
    connections,
    // One request to a connection at a time: undici then never sends one again by itself.
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

/** Only the holder of the key of `ca` passes, so its names need no check. */
function pinnedTo(ca: string) {
  return { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
}

/** Of each request, by lower-case names. Credentials of the URL go as Basic; `given` wins. */
export function headersFor(
  url: URL,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  // Not compressed: limits apply to the bytes as sent.
  const headers: Record<string, string> = { 'accept-encoding': 'identity', 'user-agent': 'cairn' }
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeOrSame(url.username)}:${decodeOrSame(url.password)}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value
  return headers
}

type Header = string | string[] | undefined

/** Seconds or an HTTP date (RFC 9110, 10.2.3); null when absent or unreadable. At most ten minutes. */
export function readRetryAfter(header: Header, now: number): number | null {
  if (typeof header !== 'string') return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax)
}

/** `max-age` of Cache-Control (RFC 9111, 5.2.2.1); null when absent. */
export function readMaxAge(header: Header): number | null {
  const found = typeof header === 'string' ? /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header) : null
  return found === null ? null : Number(found[1]) * 1000
}

/** Milliseconds since 1970 (RFC 9110, section 6.6.1); null: not given. */
export function readDate(header: Header): number | null {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

/** Is the body what was meant, byte for byte? undici takes chunks apart, and no other coding. */
export function isUnencoded(headers: Readonly<Record<string, Header>>): boolean {
  const content = headers['content-encoding'] ?? 'identity'
  const transfer = headers['transfer-encoding'] ?? 'chunked'
  return content === 'identity' && String(transfer).toLowerCase() === 'chunked'
}

/** The code alone: texts of undici and of the system may name the host. */
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

/** Why there is no response, without the host: words for undici's codes, else the code (`ECONNREFUSED`). */
export function describeHttpError(thrown: unknown): string {
  const code = codeOf(thrown)
  if (code === null) return 'broken connection'
  return code.startsWith('HPE_') ? 'no HTTP response' : (texts[code] ?? code)
}
