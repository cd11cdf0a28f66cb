// Responses of the admin API: JSON, documents, events, errors. No CORS: only the dashboard's origin can read them.
// Tested by src/admin/http/admin-handler.test.ts
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { AdminReply } from '../run-admin.ts'
import type { NodeExchange } from '../../http/node-exchange.ts'
import { openChunkWriter } from '../../http/send-chunks.ts'

const heartbeatMs = 15_000
/** A client that reads no bytes for this long is disconnected. */
const idleMs = 60_000

/**
 * `cookies`: Set-Cookie lines. `mayStill`: returns whether the client may receive further events; called
 * periodically.
 */
export async function sendAdmin(
  exchange: NodeExchange,
  reply: AdminReply,
  cookies: readonly string[],
  terms: { readonly clock: Clock; readonly mayStill: () => Promise<boolean> },
): Promise<void> {
  const { response } = exchange
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  switch (reply.form) {
    case 'json':
      return sendJson(response, reply.value)
    case 'text': {
      const { type, fileName, text } = reply.text
      response.setHeader('content-disposition', `attachment; filename="${fileName}"`)
      return sendWhole(response, 200, type, text)
    }
    case 'events':
      return await sendEvents(exchange, reply.events, terms)
  }
}

/** Sends `value` as JSON with status 200. */
export function sendJson(response: ServerResponse, value: unknown): void {
  sendWhole(response, 200, 'application/json', JSON.stringify(value))
}

export function sendAdminRefusal(
  exchange: NodeExchange,
  fault: Fault,
  allowed: string | null,
): void {
  const { response } = exchange
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (allowed !== null) response.setHeader('allow', allowed)
  const { status, retry } = fault.row
  if (fault.code === 'signed_out') response.setHeader('www-authenticate', 'Bearer realm="cairn"')
  if (retry === 'later') response.setHeader('retry-after', String(waitOf(fault)))
  // Close the connection: the unread rest of the body would be parsed as the next request.
  if (!exchange.bodyEnded && !exchange.request.complete) response.shouldKeepAlive = false
  const { code, message, data } = fault
  const error = { code, message, ...(data === undefined ? {} : { data }) }
  sendWhole(response, status < 400 ? 400 : status, 'application/json', JSON.stringify({ error }))
}

/** Seconds until the client should retry. */
function waitOf({ data }: Fault): number {
  const seconds = typeof data === 'object' ? data['backoff_seconds'] : null
  return typeof seconds === 'number' ? seconds : 1
}

function sendWhole(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.destroyed) return
  response.writeHead(status, {
    'content-type': type === 'application/json' ? type : `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  response.end(text)
}

/** Server-sent events (HTML, 9.2), with periodic comments that detect a disconnected client. */
async function sendEvents(
  exchange: NodeExchange,
  events: AsyncIterable<unknown>,
  { clock, mayStill }: Parameters<typeof sendAdmin>[3],
): Promise<void> {
  const { response } = exchange
  exchange.endAtStop()
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
  })
  response.write(': here\n\n')
  const writer = openChunkWriter(response, { clock, idleMs })
  const stop = clock.every(heartbeatMs, () => {
    if (response.writableLength > 0) response.destroy()
    else response.write(':\n\n')
    mayStill().then(
      (may) => {
        if (!may) exchange.abort(new Fault('signed_out'))
      },
      // The check failed: the client may have lost access.
      (thrown: unknown) => exchange.abort(Fault.from(thrown)),
    )
  })
  try {
    for await (const event of events) {
      if (exchange.isClosed || exchange.signal.aborted) break
      await writer.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
    }
    response.end()
  } finally {
    stop()
    writer.close()
  }
}
