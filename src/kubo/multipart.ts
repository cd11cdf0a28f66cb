// A streaming multipart reader (RFC 2046 5.1): yields parts one after another, with bodies as views of the chunks that arrive; only
// part headers are buffered, and parsed as in Go's mime package and Kubo. It never reads ahead, so back-pressure works.
// Tested by src/kubo/multipart.test.ts
import { Fault } from '../base/fault.ts'
import type { FileContent, Mtime } from '../ipfs/import/upload-entry.ts'
import type { RequestBodyStream } from '../http/request-body-stream.ts'

export type Part = { readonly head: PartHead; readonly content: FileContent }

export type MultipartLimits = {
  readonly headBytesMax: number
  /** Maximum number of bytes before the first part, and after the last one. */
  readonly paddingBytesMax: number
}
export const multipartLimits: MultipartLimits = {
  headBytesMax: 16_384,
  paddingBytesMax: 1_048_576,
}

/** The boundary of a `multipart/form-data` content type; null for other types. Throws `bad_argument`. */
export function findBoundary(contentType: string | undefined): string | null {
  if (contentType === undefined || !/^\s*multipart\/form-data\s*(;|$)/i.test(contentType))
    return null
  const match = /;\s*boundary\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]*))/i.exec(contentType)
  const boundary = match?.[1]?.replaceAll(/\\(.)/g, '$1') ?? match?.[2] ?? ''
  if (boundary === '' || boundary.length > 70) {
    throw new Fault('bad_argument', { detail: 'no multipart boundary param in Content-Type' })
  }
  return boundary
}

/**
 * Yields the parts of `body` in order and reads it to its end, epilogue included. A part's content must be read before the next
 * part is requested; unread content is skipped. Throws `bad_params` if the body is malformed or ends early (also from `content`),
 * and the errors of `body`.
 */
export async function* readParts(
  body: RequestBodyStream,
  boundary: string,
  limits: MultipartLimits = multipartLimits,
): AsyncGenerator<Part> {
  const scanner = new Scanner(body, boundary)
  await scanner.skipContent(limits.paddingBytesMax)
  for (;;) {
    const head = await scanner.readHead(limits.headBytesMax)
    if (head === null) return await scanner.skipEpilogue(limits.paddingBytesMax)
    yield { head: parsePartHead(head), content: scanner.content() }
    await scanner.skipContent()
  }
}

const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')
const carriageReturn = 13
const nothing = Buffer.alloc(0)

/** A window over the body. It starts with an added CRLF, so that the first delimiter has the same form as the others. */
class Scanner {
  readonly #body: RequestBodyStream
  readonly #needle: Buffer
  #window: Buffer = lineEnd
  /** True between two delimiters; the preamble counts as content. */
  #inContent = true

  constructor(body: RequestBodyStream, boundary: string) {
    this.#body = body
    this.#needle = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** The remaining content of the current part. */
  content(): FileContent {
    return { drain: (consume) => this.#drain(consume), [Symbol.asyncIterator]: () => this.#read() }
  }

  async skipContent(bytesMax = Infinity): Promise<void> {
    let bytes = 0
    await this.#drain((piece) => {
      bytes += piece.length
      if (bytes > bytesMax) throw overPadding(bytesMax)
      return null
    })
  }

  /** Header lines of the part that begins here; null at the closing delimiter. */
  async readHead(bytesMax: number): Promise<Uint8Array | null> {
    if (this.#window[0] === 0x2d) return null
    let end: number
    while ((end = this.#window.subarray(0, bytesMax + 4).indexOf(headEnd)) === -1) {
      if (this.#window.length >= bytesMax + 4) {
        throw new Fault('bad_params', { detail: `multipart: part header over ${bytesMax} bytes` })
      }
      await this.#fill()
    }
    const block = this.#cut(end)
    this.#cut(headEnd.length)
    this.#inContent = true
    const lineLength = block.indexOf(lineEnd)
    const padding = lineLength === -1 ? block : block.subarray(0, lineLength)
    if (padding.some((byte) => byte !== 0x20 && byte !== 0x09)) {
      throw new Fault('bad_params', { detail: 'multipart: malformed boundary line' })
    }
    return lineLength === -1 ? block.subarray(block.length) : block.subarray(lineLength + 2)
  }

  async skipEpilogue(bytesMax: number): Promise<void> {
    let bytes = this.#window.length
    this.#window = Buffer.alloc(0)
    if (bytes > bytesMax) throw overPadding(bytesMax)
    await this.#body.feed((chunk) => {
      bytes += chunk.length
      if (bytes > bytesMax) throw overPadding(bytesMax)
      return true
    })
  }

  /** Passes content up to the next delimiter to `consume`, and consumes the delimiter up to the end of the boundary. */
  async #drain(consume: ConsumePiece): Promise<void> {
    await this.#handOver(consume)
    while (this.#inContent) {
      const more = await this.#body.feed((chunk) => {
        const inWindow = this.#append(chunk)
        const pending = this.#handOver(consume)
        if (pending !== null) return pending.then(() => this.#inContent)
        if (!inWindow || this.#window.length === 0) this.#release(chunk)
        return this.#inContent
      })
      if (!more && this.#inContent) throw endedEarly()
    }
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    while (this.#inContent) {
      const piece = this.#settled()
      if (piece === null) await this.#fill()
      else if (piece.length > 0) yield piece
    }
  }

  /** Passes the bytes of the window that are certainly content to `consume`. */
  #handOver(consume: ConsumePiece): Promise<void> | null {
    while (this.#inContent) {
      const piece = this.#settled()
      if (piece === null) return null
      if (piece.length === 0) continue
      const pending = consume(piece)
      if (pending !== null) return this.#handOverAfter(pending, consume)
    }
    return null
  }

  async #handOverAfter(pending: Promise<void>, consume: ConsumePiece): Promise<void> {
    await pending
    await this.#handOver(consume)
  }

  /** The next piece of content at the start of the window, possibly empty; null: more bytes are needed. */
  #settled(): Buffer | null {
    const at = this.#window.indexOf(this.#needle)
    if (at === -1) {
      const length = this.#settledLength()
      return length === 0 ? null : this.#cut(length)
    }
    const after = at + this.#needle.length
    if (this.#window.length < after + 2) return at === 0 ? null : this.#cut(at)
    if (!isDelimiter(this.#window, after)) return this.#cut(after)
    const last = this.#cut(at)
    this.#cut(this.#needle.length)
    this.#inContent = false
    return last
  }

  /** Number of bytes at the start that cannot belong to a delimiter: only bytes from a CR near the end are held back. */
  #settledLength(): number {
    const reach = Math.max(0, this.#window.length - this.#needle.length + 1)
    let at = this.#window.indexOf(carriageReturn, reach)
    while (at !== -1) {
      const tail = this.#window.subarray(at)
      if (tail.equals(this.#needle.subarray(0, tail.length))) return at
      at = this.#window.indexOf(carriageReturn, at + 1)
    }
    return this.#window.length
  }

  #cut(length: number): Buffer {
    const cut = this.#window
    if (length === cut.length) {
      this.#window = nothing
      return cut
    }
    this.#window = cut.subarray(length)
    return cut.subarray(0, length)
  }

  /** Returns whether the window is now `chunk` itself instead of a copy. */
  #append(chunk: Uint8Array): boolean {
    const alone = this.#window.length === 0
    if (!alone) this.#window = Buffer.concat([this.#window, chunk])
    else if (chunk instanceof Buffer) this.#window = chunk
    else this.#window = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    return alone
  }

  #release(chunk: Uint8Array): void {
    if (this.#window.length === 0) this.#window = nothing
    this.#body.release?.(chunk)
  }

  async #fill(): Promise<void> {
    const hasMore = await this.#body.feed((chunk) => {
      this.#append(chunk)
      return false
    })
    if (!hasMore) throw endedEarly()
  }
}

type ConsumePiece = Parameters<FileContent['drain'] & {}>[0]

function endedEarly(): Fault {
  return new Fault('bad_params', { detail: 'multipart: NextPart: EOF' })
}

function overPadding(bytesMax: number): Fault {
  return new Fault('bad_params', {
    detail: `multipart: more than ${bytesMax} bytes before the first part or after the last`,
  })
}

/** A longer boundary with the same prefix is content; a delimiter is followed by `--`, padding or a line end. */
function isDelimiter(window: Buffer, at: number): boolean {
  const [first, second] = [window[at], window[at + 1]]
  if (first === 0x2d) return second === 0x2d
  return first === 0x20 || first === 0x09 || (first === 0x0d && second === 0x0a)
}

type PartHead = {
  /** Normalized, `/`-separated, without a leading slash; '' if the part has no name. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly mode?: number
  readonly mtime?: Mtime
}

const linesMax = 32
const pathBytesMax = 8192
const segmentBytesMax = 1024

/** `head`: the header lines without the blank line. Throws `bad_params` if they describe no entry. */
function parsePartHead(head: Uint8Array): PartHead {
  const fields = headerFields(decodeUtf8(head, 'multipart: part header is not valid UTF-8'))
  const disposition = parameters(fields.get('content-disposition') ?? '')
  const media = (fields.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  const kind =
    media === 'application/x-directory' || media === 'multipart/form-data'
      ? 'directory'
      : media === 'application/symlink'
        ? 'symlink'
        : 'file'
  return {
    path: cleanPath(unescapeQuery(disposition.get('filename') ?? '')),
    kind,
    ...declared(disposition.get('name') ?? ''),
  }
}

function headerFields(text: string): Map<string, string> {
  const lines = text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  if (lines.length > linesMax) throw bad('multipart: too many part headers')
  const fields = new Map<string, string>()
  for (const line of lines) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1) throw bad('multipart: malformed part header')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/** Parameters of a header value by lower-cased name; `name*=` (RFC 5987) wins over `name=`. */
function parameters(value: string): Map<string, string> {
  const found = new Map<string, string>()
  const extended = new Map<string, string>()
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/gsy
  pattern.lastIndex = value.indexOf(';')
  if (pattern.lastIndex < 0) return found
  for (const match of value.matchAll(pattern)) {
    const name = (match[1] as string).toLowerCase()
    // Go removes a backslash only in front of a tspecial, so `C:\dir` is unchanged.
    const text =
      match[2]?.replaceAll(/\\([()<>@,;:\\"/[\]?=])/g, '$1') ?? (match[3] as string).trim()
    if (!name.endsWith('*')) found.set(name, text)
    else {
      const decoded = /^(?:utf-8|us-ascii)'[^']*'(.*)$/is.exec(text)
      if (decoded !== null)
        extended.set(name.slice(0, -1), percentDecode(decoded[1] as string) ?? text)
    }
  }
  for (const [name, text] of extended) found.set(name, text)
  return found
}

/** As Go's url.QueryUnescape; malformed text is returned unchanged. */
function unescapeQuery(text: string): string {
  return percentDecode(text.replaceAll('+', ' ')) ?? text
}

/** Null if an escape is malformed. Throws if the bytes are not UTF-8. */
function percentDecode(text: string): string | null {
  if (!text.includes('%')) return text
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return null
  const bytes = Buffer.from(
    text.replaceAll(/%([0-9a-fA-F]{2})|([^%]+)/g, (_all, pair: string | undefined, rest: string) =>
      pair === undefined ? Buffer.from(rest).toString('latin1') : latin1(pair),
    ),
    'latin1',
  )
  return decodeUtf8(bytes, 'multipart: file name is not valid UTF-8')
}

function latin1(pair: string): string {
  return String.fromCharCode(Number.parseInt(pair, 16))
}

function cleanPath(name: string): string {
  if (name.includes('\0')) throw bad('multipart: file name holds a NUL byte')
  if (Buffer.byteLength(name) > pathBytesMax) throw bad('multipart: file name is too long')
  const segments: string[] = []
  for (const segment of name.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > segmentBytesMax)) {
    throw bad('multipart: segment of a file name is too long')
  }
  return segments.join('/')
}

/** Mode and mtime after the `?` of a part name; an invalid suffix is ignored. */
function declared(name: string): { mode?: number; mtime?: Mtime } {
  const query = new URLSearchParams(name.includes('?') ? name.slice(name.indexOf('?') + 1) : '')
  const mode = query.get('mode')
  const mtime = query.get('mtime')
  const nanos = query.get('mtime-nsecs')
  const metadata: { mode?: number; mtime?: Mtime } = {}
  if (mode !== null && /^[0-7]{1,11}$/.test(mode)) metadata.mode = Number.parseInt(mode, 8) & 0o7777
  if (mtime !== null && /^[+-]?\d{1,18}$/.test(mtime)) {
    const wanted = nanos !== null && /^\d{1,9}$/.test(nanos) ? Number(nanos) : 0
    metadata.mtime = { seconds: BigInt(mtime.replace('+', '')), nanos: wanted }
  }
  return metadata
}

function decodeUtf8(bytes: Uint8Array, complaint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Fault('bad_params', { detail: complaint, cause })
  }
}

function bad(detail: string): Fault {
  return new Fault('bad_params', { detail })
}
