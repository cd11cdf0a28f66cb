// Which requests the lean listener answers by itself: calls as clients send them, and nothing else. What is odd in
// any way is not parsed here, it goes to node:http as it came.
import { type RequestHeaders, requestHeaderNames } from '../http-exchange.ts'
import { parseRpcPath, type RpcPath } from '../routes.ts'
import { parseTarget, type Target } from '../request-target.ts'
import type { HeadParser, ParsedHead } from './head-parser.ts'

/** The head of a POST over HTTP/1.1 to the JSON-RPC API, with exactly one Host and one length. */
export type PlainHead = {
  /** Bytes of the head; the body begins behind them. */
  readonly bytes: number
  readonly bodyBytes: number
  /** The caller wants to go on with the connection. */
  readonly keepAlive: boolean
  readonly target: Target
  readonly rpcPath: RpcPath
  readonly headers: Readonly<KnownHeaders>
}

/** A longer body is not worth a second way of reading it; as much as a refusal reads for its ids. */
export const plainBodyBytesMax = 65_536

const post = 3
const letterP = 0x50
const lengthForm = /^(?:0|[1-9][0-9]{0,4})$/

/** Headers that ask for more than a plain answer. */
const demanding: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'http2-settings',
  'te',
  'trailer',
])

/** Values as node:http gives them; each header came at most once. */
type KnownHeaders = { -readonly [Name in keyof RequestHeaders | 'host']?: string | undefined }

const knownNames: ReadonlySet<string> = new Set(['host', ...requestHeaderNames])

/** Reads the head at the start of `bytes`; null when it is not a plain one, or not there whole. */
export function createPlainHeads(parse: HeadParser): (bytes: Buffer) => PlainHead | null {
  return (bytes) => {
    // No other method is plain, nor are empty lines in front.
    const parsed = bytes[0] === letterP ? parse(bytes) : null
    return parsed === null ? null : readPlainHead(parsed, bytes)
  }
}

function readPlainHead(parsed: ParsedHead, bytes: Buffer): PlainHead | null {
  if (parsed.method !== post || parsed.major !== 1 || parsed.minor !== 1) return null
  // latin1, like node:http.
  const text = bytes.toString('latin1', 0, parsed.end)
  const headers = readKnown(text, parsed.spans)
  if (headers === null || headers.host === undefined) return null
  const length = headers['content-length']
  if (length === undefined || !lengthForm.test(length)) return null
  const bodyBytes = Number(length)
  if (bodyBytes > plainBodyBytesMax) return null
  const target = parseTarget(text.slice(...parsed.url), headers.host)
  if (typeof target === 'string') return null
  const rpcPath = parseRpcPath(target.path)
  if (rpcPath === null || rpcPath.webSocket) return null
  return { bytes: parsed.end, bodyBytes, keepAlive: parsed.keepAlive, target, rpcPath, headers }
}

/** Null when a header is demanding, or one that is known comes twice. */
function readKnown(text: string, spans: readonly number[]): KnownHeaders | null {
  const known: KnownHeaders = {}
  for (let at = 0; at < spans.length; at += 4) {
    const name = text.slice(spans[at], spans[at + 1]).toLowerCase()
    if (isKnown(name)) {
      if (known[name] !== undefined) return null
      known[name] = text.slice(spans[at + 2], endOfValue(text, spans[at + 3] as number))
    } else if (demanding.has(name)) return null
  }
  return known
}

/** Without the blanks behind it, which llhttp leaves on. */
function endOfValue(text: string, to: number): number {
  let end = to
  while (text.charCodeAt(end - 1) === 0x20 || text.charCodeAt(end - 1) === 0x09) end--
  return end
}

function isKnown(name: string): name is keyof KnownHeaders {
  return knownNames.has(name)
}
