// Heads of requests out of bytes. llhttp reads them as strictly as node:http, since it is the same parser; one parser
// serves all connections: it reads a head that is complete, or gives up, and stores nothing. Heads other than those of
// plain calls go to node:http as they came. Heads read before are recognised by their bytes.
// Tested by src/http/lean/head-parser.test.ts
import { llhttpModule } from './llhttp-module.ts'
import { type RequestHeaders, requestHeaderNames } from '../http-exchange.ts'
import { type RpcPath, parseRpcPath } from '../routes.ts'
import { type Target, parseTarget } from '../request-head.ts'
import { createLruCache } from '../../base/lru-cache.ts'

/** What llhttp found. `spans`: four offsets for each header, of its name and of its value, each from and to. */
type ParsedHead = {
  /** Offset of the first byte behind the head. */
  readonly end: number
  /** As llhttp numbers them. */
  readonly method: number
  readonly major: number
  readonly minor: number
  /** What version and Connection headers say. */
  readonly keepAlive: boolean
  readonly url: readonly [from: number, to: number]
  readonly spans: readonly number[]
}

// TypeScript knows WebAssembly only together with a browser's page.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** A head of more bytes, or with more headers, is not read. */
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

/** Reads the head at the start of `bytes`; null when it is not there whole, too large, or wrong in any way. */
export type HeadParser = (bytes: Buffer) => ParsedHead | null

/** Compiles the module: a few milliseconds, once. */
export function createHeadParser(): HeadParser {
  let url: [number, number] = [0, 0]
  let spans: number[] = []
  let named = 0
  let valued = 0

  const ignore = (): number => 0
  // A span that comes in two parts would be a head in two parts, which is never read: -1 ends the parse.
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
    // Behind the head nothing is left to llhttp: the reader of the body counts off a length that it has checked.
    wasm_on_headers_complete: (): number => paused,
  }
  const module = new WebAssembly.Module(Buffer.from(llhttpModule, 'base64'))
  const llhttp = new WebAssembly.Instance(module, { env }).exports as unknown as Llhttp
  llhttp._initialize()
  const parser = llhttp.llhttp_alloc(requestType)
  const room = llhttp.malloc(headBytesMax)
  // Nothing is allocated after this, so the memory stays where it is.
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

type ReadHead = (bytes: Buffer) => PlainHead | null

/** Of all that is remembered. */
const bytesMax = 1_048_576
/** Longer heads are read anew. */
const rememberedBytesMax = 1_024
/** What an entry costs beside its text: a head with its target and headers. */
const entryBytes = 1_000
/** One in so many unknown heads is remembered: soon one that comes often, seldom one that never comes again. */
const share = 32

const headEnd = Buffer.from('\r\n\r\n', 'latin1')

/** `readHead` with a memory. Heads that bring a secret are not remembered: it does not outlive its connection. */
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
    const known = heads.find(text)
    if (known !== null) return known
    const head = readHead(bytes)
    if (head === null || head.bytes !== end || head.headers.authorization !== undefined) return head
    if (unknown++ % share === 0) heads.add(text, head)
    return head
  }
}
