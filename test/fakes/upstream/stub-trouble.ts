// Network and server faults of a stub upstream: the bytes that it sends instead of, or around, a valid reply.
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../src/base/clock.ts'
import type { Trouble } from './stub-knobs.ts'

const html = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'
const filler = Buffer.alloc(10 * 1024 * 1024, '0')
const dribbleMs = 20

/** `text`: the valid reply. */
export function writeTrouble(
  response: ServerResponse,
  trouble: Trouble,
  parts: { readonly text: string; readonly retryAfterSeconds: string; readonly clock: Clock },
): void {
  const { text } = parts
  const send = (status: number, body: string, type = 'application/json', headers = {}) => {
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...headers,
    })
    response.end(body)
  }
  const reply = JSON.parse(text) as Record<string, unknown>
  switch (trouble) {
    case 'status 503':
      return send(503, '{"error":"overloaded"}')
    case 'status 500 with HTML':
      return send(500, html, 'text/html')
    case 'status 200 with HTML':
      return send(200, html, 'text/html')
    case 'too many requests':
      return send(429, '{"error":"too many requests"}', 'application/json', {
        'retry-after': parts.retryAfterSeconds,
      })
    case 'payment required':
      return send(402, '{"error":"monthly capacity limit exceeded"}')
    case 'connection reset':
      response.socket?.resetAndDestroy()
      return
    case 'body cut short':
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.write(text.slice(0, text.length >> 1), () => response.destroy())
      return
    case 'not JSON':
      return send(200, `${text.slice(0, -1)},}`)
    case 'empty body':
      return send(200, '')
    case 'another id':
      return send(200, JSON.stringify({ ...reply, id: 987_654_321 }))
    case 'another version':
      return send(200, JSON.stringify({ ...reply, jsonrpc: '1.0' }))
    case 'result and error both':
      return send(
        200,
        JSON.stringify({ ...reply, result: '0x0', error: { code: -32000, message: 'both' } }),
      )
    case 'ten megabytes':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(reply['id'])},"result":"0x`)
      response.write(filler)
      response.end('"}')
      return
    case 'bytes dribbled':
      return dribble(response, text, parts.clock)
    case 'no answer':
      return
    case 'internal error': {
      const error = { code: -32603, message: 'internal error' }
      return send(200, JSON.stringify({ jsonrpc: '2.0', id: reply['id'], error }))
    }
  }
}

/** Sends half of the body immediately, then one byte at a time, so that a long body takes too long. */
function dribble(response: ServerResponse, text: string, clock: Clock): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  let at = text.length >> 1
  response.write(text.slice(0, at))
  const stop = clock.every(dribbleMs, () => {
    if (at >= text.length || response.destroyed) {
      stop()
      response.end()
      return
    }
    response.write(text[at])
    at += 1
  })
}
