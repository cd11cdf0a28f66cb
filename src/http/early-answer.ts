// An answer given before the request body was read. Closing at once would reset the connection and lose the
// answer for a caller that is still sending, so a bounded rest is read and thrown away first.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Clock } from '../base/clock.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

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
    request.off('data', take).off('end', finish).off('close', finish)
    response.end()
  }
  const take = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const stopTimer = clock.after(discardMs, finish)
  request.on('data', take).on('end', finish).on('close', finish)
  request.resume()
}
