// Sends the reply of a command: one value, lines combined into few writes, or a large object in pieces. Headers are sent with the
// first chunk, so most failures become error replies. A later failure closes the connection, so that clients detect a truncated
// reply.
// Tested by src/kubo/ipfs-api.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { type FilesDownload, measuredStream } from '../pipeline/transfer.ts'
import type { CommandReply } from './kubo-command.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import { kuboLine } from '../codec/go-json.ts'
import { type SendTerms, sendChunks } from '../http/send-chunks.ts'
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

const streamHeaders = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'
const allowed = 'authorization, content-type, x-requested-with, accept, infura-source, user-agent'

/** The Origin is reflected on every status, errors too; without an Origin the lists equal Kubo's byte for byte. */
export function kuboHeaders(headers: IncomingHttpHeaders, version: string): Record<string, string> {
  const { origin } = headers
  return {
    'Access-Control-Allow-Headers': streamHeaders,
    'Access-Control-Expose-Headers':
      origin === undefined ? streamHeaders : `${streamHeaders}, Retry-After, X-Request-Id`,
    ...(origin === undefined ? {} : { 'Access-Control-Allow-Origin': origin }),
    Vary: 'Origin',
    Server: `cairn/${version}`,
  }
}

/** Headers of the 204 reply to OPTIONS: those of a preflight, otherwise the methods. No credentials needed. */
export function optionsHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) {
    return { Allow: 'OPTIONS, POST' }
  }
  return {
    'Access-Control-Allow-Methods': 'POST, OPTIONS',
    'Access-Control-Allow-Headers': allowed,
    'Access-Control-Max-Age': '7200',
  }
}

export type ReplyTerms = {
  readonly clock: Clock
  /** A client that reads no bytes for this long is disconnected. */
  readonly idleMs: number
  /** The request carries entries, which are read while the reply is sent. */
  readonly uploading: boolean
  /** The request has `encoding=text`, which applies if the reply has a text form. */
  readonly asText: boolean
  /** Measures byte streams: called before the headers and before each chunk. */
  readonly download: FilesDownload
}

/**
 * Sends `reply` completely and counts body bytes in `sent`. Throws the errors of the reply: before headers are sent the caller can
 * still refuse; after that (`response.headersSent`) it must destroy the connection.
 */
export async function sendReply(
  exchange: NodeExchange,
  reply: CommandReply,
  terms: ReplyTerms,
  sent: { bytes: number },
): Promise<void> {
  const asText = terms.asText && reply.kind !== 'bytes' ? reply.text : undefined
  const type = asText === undefined ? 'application/json' : 'text/plain'
  switch (reply.kind) {
    case 'object': {
      const body = asText === undefined ? kuboLine(reply.value) : asText(reply.value)
      sent.bytes += Buffer.byteLength(body)
      exchange.response.writeHead(200, {
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
      })
      exchange.response.end(body)
      return
    }
    case 'keyed': {
      const pieces =
        asText === undefined
          ? await keyedObject(reply.name, reply.entries)
          : await keyedText(reply.entries, asText)
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      const begin = () => {
        exchange.response.writeHead(200, { 'Content-Type': type, 'Content-Length': length })
      }
      const chunks = Readable.from(pieces)
      await sendChunks(exchange.response, chunks, { begin }, { ...terms, length: null }, sent)
      return
    }
    case 'bytes': {
      const headers: Record<string, string> = {
        'X-Stream-Output': '1',
        'Content-Type': reply.type ?? 'text/plain',
      }
      const shown = reply.contentLength ?? reply.length
      if (shown !== null) headers['X-Content-Length'] = String(shown)
      const { length } = reply
      const chunks = measuredStream(reply.chunks, length, terms.download)
      await sendStream(exchange, headers, chunks, { ...terms, length }, sent)
      return
    }
    case 'events': {
      const headers: Record<string, string> = {
        'X-Chunked-Output': '1',
        'Content-Type': type,
      }
      const lineOf = asText ?? kuboLine
      if (!terms.uploading || reply.live) {
        if (terms.uploading) headers['Connection'] = 'close'
        await sendStream(
          exchange,
          headers,
          batchedLines(reply.lines, lineOf),
          { ...terms, length: null },
          sent,
        )
        return
      }
      await using buffered = new BufferedLines()
      for await (const value of reply.lines) await buffered.add(lineOf(value))
      await sendStream(exchange, headers, buffered.read(), { ...terms, length: null }, sent)
    }
  }
}

/** Fails if the stream's length differs from the stated one: clients must not accept a truncated file as complete. */
async function sendStream(
  { request, response }: NodeExchange,
  headers: Record<string, string>,
  chunks: AsyncIterable<Uint8Array>,
  terms: SendTerms,
  sent: { bytes: number },
): Promise<void> {
  // HTTP/1.0 has no chunked encoding and so no trailers.
  const trailers = request.httpVersion === '1.1'
  const frame = {
    begin: () => {
      response.writeHead(200, trailers ? { ...headers, Trailer: 'X-Stream-Error' } : headers)
    },
    beforeEnd: () => {
      if (trailers) response.addTrailers({ 'X-Stream-Error': '' })
    },
  }
  await sendChunks(response, chunks, frame, terms, sent)
}

const memoryBytesMax = 1_048_576
const readBytes = 65_536

/** Lines of a reply that Cairn sends after the upload has ended: up to 1 MiB in memory, then in an unlinked open file. */
export class BufferedLines implements AsyncDisposable {
  #waiting: string[] = []
  #waitingBytes = 0
  #file: FileHandle | null = null
  readonly #memoryBytesMax: number

  constructor(bytesMax = memoryBytesMax) {
    this.#memoryBytesMax = bytesMax
  }

  /** Adds one line, including its line feed. */
  async add(line: string): Promise<void> {
    this.#waiting.push(line)
    this.#waitingBytes += Buffer.byteLength(line)
    if (this.#waitingBytes <= this.#memoryBytesMax) return
    this.#file ??= await openNameless()
    await this.#file.appendFile(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** All added lines, in order. */
  async *read(): AsyncGenerator<Uint8Array> {
    if (this.#file !== null) {
      for (let at = 0; ;) {
        const { bytesRead, buffer } = await this.#file.read(
          Buffer.alloc(readBytes),
          0,
          readBytes,
          at,
        )
        if (bytesRead === 0) break
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    }
    if (this.#waiting.length > 0) yield Buffer.from(this.#waiting.join(''))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `cairn-reply-${randomUUID()}`)
  const file = await open(path, 'ax+', 0o600)
  await unlink(path)
  return file
}

/** A piece of this size is sent without waiting for the next event-loop turn. */
const pieceCharsMax = 32 * 1024

/**
 * Joins the lines of one event-loop turn into one piece. Sends lines that precede an error, then throws it. `lineOf`: returns the
 * line with its line feed; '' omits it.
 */
export async function* batchedLines(
  values: AsyncIterable<unknown>,
  lineOf: (value: unknown) => string = kuboLine,
): AsyncGenerator<Uint8Array> {
  const iterator = values[Symbol.asyncIterator]()
  let lines = ''
  /** Resolves in the next event-loop turn after the first line was added. */
  let nextTurn: Promise<null> | null = null
  let isPending = false

  function flushLines(): Uint8Array {
    const piece = Buffer.from(lines)
    lines = ''
    nextTurn = null
    return piece
  }

  try {
    for (;;) {
      const next = iterator.next()
      isPending = true
      let step = nextTurn === null ? await next : await Promise.race([next, nextTurn])
      if (step === null) {
        yield flushLines()
        step = await next
      }
      isPending = false
      if (step.done === true) break
      lines += lineOf(step.value)
      if (lines !== '') nextTurn ??= setImmediate(null)
      if (lines.length >= pieceCharsMax) yield flushLines()
    }
  } catch (thrown) {
    isPending = false
    if (lines !== '') yield flushLines()
    throw thrown
  } finally {
    // Does not wait for a value that may never arrive after the consumer has stopped.
    const ended = iterator.return?.()
    if (isPending) ended?.catch(() => undefined)
    else await ended
  }
  if (lines !== '') yield flushLines()
}

/** Characters that are rendered before yielding to other work. */
const objectPieceChars = 64 * 1024

/** Renders one line with its line feed; `{}` if there are no entries. Keys must be distinct. */
export async function keyedObject(
  name: string,
  entries: Iterable<readonly [string, unknown]>,
): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let text = ''
  let some = false
  for (const [key, value] of entries) {
    text += some ? ',' : `{${bare(name)}:{`
    some = true
    text += `${bare(key)}:${bare(value)}`
    if (text.length < objectPieceChars) continue
    pieces.push(Buffer.from(text))
    text = ''
    await setImmediate()
  }
  pieces.push(Buffer.from(some ? `${text}}}\n` : '{}\n'))
  return pieces
}

/** The same entries as text, one after another: `lineOf` receives `[key, value]`. */
async function keyedText(
  entries: Iterable<readonly [string, unknown]>,
  lineOf: (entry: unknown) => string,
): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let text = ''
  for (const entry of entries) {
    text += lineOf(entry)
    if (text.length < objectPieceChars) continue
    pieces.push(Buffer.from(text))
    text = ''
    await setImmediate()
  }
  if (text !== '') pieces.push(Buffer.from(text))
  return pieces
}

function bare(value: unknown): string {
  return kuboLine(value).slice(0, -1)
}
