// The binding to llhttp: heads of requests out of bytes, strictly as node:http reads them, since it is the same
// parser. One parser serves all connections: it reads a head that is there whole or gives up, and keeps nothing.
import { llhttpModule } from './llhttp-module.ts'

/** What llhttp found. `spans`: four offsets for each header, of its name and of its value, each from and to. */
export type ParsedHead = {
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
