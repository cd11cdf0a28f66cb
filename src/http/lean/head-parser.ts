// Parses the heads of HTTP requests with llhttp, the parser of node:http, so it is as strict. One parser serves all connections: it
// parses a complete head or returns null, and retains no state. Requests other than plain calls (`PlainHead`) go to node:http with
// their bytes unchanged. A cache returns the result for heads with the same bytes.
// Tested by src/http/lean/head-parser.test.ts
import { llhttpModule } from './llhttp-module.ts'
import { type RequestHeaders, requestHeaderNames } from '../http-exchange.ts'
import { type RpcPath, parseRpcPath } from '../routes.ts'
import { type Target, parseTarget } from '../request-head.ts'
import { createLruCache } from '../../base/lru-cache.ts'

/** Result of llhttp. `spans`: four offsets per header, start and end of its name and of its value. */
type ParsedHead = {
  /** Offset of the first byte after the head. */
  readonly end: number
  /** In the numbering of llhttp. */
  readonly method: number
  readonly major: number
  readonly minor: number
  /** According to the version and the Connection headers. */
  readonly keepAlive: boolean
  readonly url: readonly [from: number, to: number]
  readonly spans: readonly number[]
}

// TypeScript declares WebAssembly only in its DOM library.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Limits of a head; larger ones return null. */
export const headBytesMax = 8_192
const headersMax = 64

/** Values of llhttp's `llhttp_type` and `llhttp_errno`. */
const requestType = 1
const paused = 21

type Llhttp = {
  readonly memory: { readonly buffer: ArrayBuffer }
  _initialize(): void
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_reset(parser: number): void
  llhttp_execute(parser: number, at: number, bytes: number): number
  llhttp_get_error_pos(parser: number): number
  llhttp_get_method(parser: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
  llhttp_should_keep_alive(parser: number): number
}

/** Parses the head at the start of `bytes`; null if it is incomplete, too large or invalid. */
export type HeadParser = (bytes: Buffer) => ParsedHead | null

/** Compiles the module once, in a few milliseconds. */
export function createHeadParser(): HeadParser {
  let url: [number, number] = [0, 0]
  let spans: number[] = []
  let named = 0
  let valued = 0

  const ignore = (): number => 0
  // llhttp splits a span only if the head arrives in parts, which this parser never accepts: -1 ends the parse.
  const env = {
    wasm_on_message_begin: ignore,
    wasm_on_status: ignore,
    wasm_on_body: ignore,
    wasm_on_message_complete: ignore,
    wasm_on_url(_parser: number, at: number, bytes: number): number {
      if (url[1] !== 0) return -1
      url = [at - room, at - room + bytes]
      return 0
    },
    wasm_on_header_field(_parser: number, at: number, bytes: number): number {
      if (named !== valued || ++named > headersMax) return -1
      spans.push(at - room, at - room + bytes)
      return 0
    },
    wasm_on_header_value(_parser: number, at: number, bytes: number): number {
      if (++valued !== named) return -1
      spans.push(at - room, at - room + bytes)
      return 0
    },
    // llhttp stops after the head. The reader of the body counts the bytes of the checked length.
    wasm_on_headers_complete: (): number => paused,
  }
  const module = new WebAssembly.Module(Buffer.from(llhttpModule, 'base64'))
  const llhttp = new WebAssembly.Instance(module, { env }).exports as unknown as Llhttp
  llhttp._initialize()
  const parser = llhttp.llhttp_alloc(requestType)
  const room = llhttp.malloc(headBytesMax)
  // Nothing is allocated after this, so the WebAssembly memory does not move.
  const memory = Buffer.from(llhttp.memory.buffer, room, headBytesMax)

  return (bytes) => {
    url = [0, 0]
    spans = []
    named = 0
    valued = 0
    const length = bytes.copy(memory)
    llhttp.llhttp_reset(parser)
    if (llhttp.llhttp_execute(parser, room, length) !== paused || named !== valued) return null
    return {
      end: llhttp.llhttp_get_error_pos(parser) - room,
      method: llhttp.llhttp_get_method(parser),
      major: llhttp.llhttp_get_http_major(parser),
      minor: llhttp.llhttp_get_http_minor(parser),
      keepAlive: llhttp.llhttp_should_keep_alive(parser) !== 0,
      url,
      spans,
    }
  }
}

/** The head of a plain call: a POST over HTTP/1.1 to the JSON-RPC API, with exactly one Host and one length. */
export type PlainHead = {
  /** Bytes of the head; the body begins after them. */
  readonly bytes: number
  readonly bodyBytes: number
  /** The client keeps the connection open after the reply. */
  readonly keepAlive: boolean
  readonly target: Target
  readonly rpcPath: RpcPath
  readonly headers: Readonly<KnownHeaders>
}

/** node:http reads longer bodies. A refusal reads the same number of bytes for its ids. */
export const plainBodyBytesMax = 65_536

const post = 3
const letterP = 0x50
const lengthForm = /^(?:0|[1-9][0-9]{0,4})$/

/** Headers that a plain call must not have. */
const demanding: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'http2-settings',
  'te',
  'trailer',
])

/** Values in the form of node:http; each header occurs at most once. */
type KnownHeaders = { -readonly [Name in keyof RequestHeaders | 'host']?: string | undefined }

const knownNames: ReadonlySet<string> = new Set(['host', ...requestHeaderNames])

/** Parses the head at the start of `bytes`; null if it is incomplete or not that of a plain call. */
export function createPlainHeads(parse: HeadParser): (bytes: Buffer) => PlainHead | null {
  return (bytes) => {
    // Plain calls are POST and have no empty line before the head.
    const parsed = bytes[0] === letterP ? parse(bytes) : null
    return parsed === null ? null : readPlainHead(parsed, bytes)
  }
}

function readPlainHead(parsed: ParsedHead, bytes: Buffer): PlainHead | null {
  if (parsed.method !== post || parsed.major !== 1 || parsed.minor !== 1) return null
  // latin1, as in node:http.
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

/** Null if a header is in `demanding`, or a known one occurs twice. */
function readKnown(text: string, spans: readonly number[]): KnownHeaders | null {
  const knownHeaders: KnownHeaders = {}
  for (let at = 0; at < spans.length; at += 4) {
    const name = text.slice(spans[at], spans[at + 1]).toLowerCase()
    if (isKnown(name)) {
      if (knownHeaders[name] !== undefined) return null
      knownHeaders[name] = text.slice(spans[at + 2], endOfValue(text, spans[at + 3] as number))
    } else if (demanding.has(name)) return null
  }
  return knownHeaders
}

/** Excludes trailing whitespace, which llhttp includes. */
function endOfValue(text: string, to: number): number {
  let end = to
  while (text.charCodeAt(end - 1) === 0x20 || text.charCodeAt(end - 1) === 0x09) end--
  return end
}

function isKnown(name: string): name is keyof KnownHeaders {
  return knownNames.has(name)
}

type ReadHead = (bytes: Buffer) => PlainHead | null

/** Size limit of the cache. */
const bytesMax = 1_048_576
/** Longer heads are not cached. */
const rememberedBytesMax = 1_024
/** Estimated bytes of an entry besides its text: a head with its target and headers. */
const entryBytes = 1_000
/** Caches one in this many unknown heads, so that frequent heads are soon cached and unique ones rarely. */
const share = 32

const headEnd = Buffer.from('\r\n\r\n', 'latin1')

/** `readHead` with a cache. Heads with a secret are not cached, so that the secret does not outlive its connection. */
export function rememberHeads(readHead: ReadHead): ReadHead {
  const heads = createLruCache<PlainHead>({
    sizeMax: bytesMax,
    sizeOf: (text) => text.length + entryBytes,
  })
  let unknown = 0

  return (bytes) => {
    const end = bytes.indexOf(headEnd) + headEnd.length
    if (end < headEnd.length || end > rememberedBytesMax) return readHead(bytes)
    const text = bytes.toString('latin1', 0, end)
    const cached = heads.find(text)
    if (cached !== null) return cached
    const head = readHead(bytes)
    if (head === null || head.bytes !== end || head.headers.authorization !== undefined) return head
    if (unknown++ % share === 0) heads.add(text, head)
    return head
  }
}
