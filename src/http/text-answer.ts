// Small complete answers outside the APIs (refusals, health, the index page), the header lines that many answers share, the
// Date line (RFC 9110 6.6.1), and answers that are sent before the request body was read.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Clock } from '../base/clock.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** `list`: names and values alternate. `text`: the same as lines that each end with CRLF. */
export type HeadLines = { readonly list: readonly string[]; readonly text: string }

/** Uses `join`, because V8 stores a concatenated string in parts and would flatten it for each reply. */
export function createHeadLines(list: readonly string[]): HeadLines {
  const parts = list.map((word, at) => (at % 2 === 0 ? `${word}: ` : `${word}\r\n`))
  return { list, text: parts.join('') }
}

/** Alternating names and values as lines that each end with CRLF. */
export function toLines(list: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`
  return lines
}

export function createDateHeader(clock: Clock): () => string {
  let second = -1
  let text = ''
  return () => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}

export type Answer = {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One sentence as text. `sentence` ends without a line feed; one is added. */
export function textAnswer(
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: sentence + '\n', headers }
}

/** The headers of `answer`; `origin`: of the request. */
export function answerHeaders(
  answer: Answer,
  origin: string | undefined,
): Readonly<Record<string, string>> {
  return {
    'content-type': answer.type,
    'content-length': String(Buffer.byteLength(answer.body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': origin ?? '*',
    vary: 'Origin',
    ...answer.headers,
  }
}

/** Sends `answer` with its length. node:http discards an unread request body. */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): void {
  response.writeHead(answer.status, answerHeaders(answer, request.headers.origin))
  response.end(answer.body)
}

const discardBytesMax = 16 * 1_048_576
const discardMs = 1_000

/**
 * Sends the head already written to `response` with `body`, whose length that head declares together with
 * `Connection: close`; then discards up to 16 MiB or 1 s of the request, and closes.
 */
export function endEarly(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  clock: Clock,
): void {
  if (request.readableEnded || request.destroyed) {
    response.end(body)
    return
  }
  response.write(body)
  let left = discardBytesMax
  const finish = (): void => {
    stopTimer()
    request.off('data', append).off('end', finish).off('close', finish)
    response.end()
  }
  const append = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const stopTimer = clock.after(discardMs, finish)
  request.on('data', append).on('end', finish).on('close', finish)
  request.resume()
}
