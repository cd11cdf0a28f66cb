// Sends the reply of a command. Headers wait for the first chunk, so most failures are error replies. A later failure cuts
// the connection, so that clients detect a short reply.
// Tested by src/kubo/ipfs-api.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { type FilesDownload, measuredStream } from '../pipeline/transfer.ts'
import type { CommandReply } from './kubo-command.ts'
import { keyedObject, keyedText } from './keyed-object.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import { BufferedLines, batchedLines } from './reply-lines.ts'
import { kuboLine } from '../codec/go-json.ts'
import { type SendTerms, sendChunks } from '../http/send-chunks.ts'

const streamHeaders = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'
const allowed = 'authorization, content-type, x-requested-with, accept, infura-source, user-agent'

/** The Origin is reflected on every status, errors too; without one the lists equal Kubo's byte for byte. */
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

/** Headers of the 204 to OPTIONS: a preflight's answer, else the methods. No credentials needed. */
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
  /** A caller that takes nothing for this long is cut. */
  readonly idleMs: number
  /** The request carries entries, read while the reply is made. */
  readonly uploading: boolean
  /** The request has `encoding=text`; applies if the reply has a text form. */
  readonly asText: boolean
  /** Measures streams of bytes: is asked before the headers, and before each chunk. */
  readonly download: FilesDownload
}

/**
 * Sends `reply` to its end and counts body bytes in `sent`. Throws what the reply throws: before headers are
 * out the caller can still refuse, after that (`response.headersSent`) it must destroy the connection.
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
      await using held = new BufferedLines()
      for await (const value of reply.lines) await held.add(lineOf(value))
      await sendStream(exchange, headers, held.read(), { ...terms, length: null }, sent)
    }
  }
}

/** A stream that does not keep its promised length fails: clients must never take a short file for whole. */
async function sendStream(
  { request, response }: NodeExchange,
  headers: Record<string, string>,
  chunks: AsyncIterable<Uint8Array>,
  terms: SendTerms,
  sent: { bytes: number },
): Promise<void> {
  // HTTP/1.0 has no chunks and so no trailers.
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
