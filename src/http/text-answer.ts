// Small whole answers outside the two faces: refusals in one sentence, health, the index page.
// Tested by src/http/server.test.ts
import type { IncomingMessage, ServerResponse } from 'node:http'

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

/** Sends `answer` whole, with its length. A body that was not read is discarded by node:http. */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): void {
  response.writeHead(answer.status, answerHeaders(answer, request.headers.origin))
  response.end(answer.body)
}
