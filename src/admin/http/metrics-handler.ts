// `GET /metrics`: requires the token of the setting `metrics.token` or a token of an operator. With `metrics.local`, programs on
// this machine need no token. This is off by default, because a local proxy may not add a header that reveals it.
// Tested by test/server/metrics.test.ts
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { isOperator } from '../principal.ts'
import type { FindPrincipal } from './admin-handler.ts'
import { isLoopbackHost } from './admin-access.ts'
import { sendAdminRefusal } from './admin-reply.ts'
import type { RequestHandler, NodeExchange } from '../../http/node-exchange.ts'

export const metricsPath = '/metrics'

export type MetricsHandlerDeps = {
  readonly text: () => Promise<string>
  readonly contentType: string
  /** The current setting; null: only tokens of operators are accepted. */
  readonly token: () => string | null
  /** The current setting: whether programs on this machine need no token. */
  readonly isLocalOpen: () => boolean
  readonly findPrincipal: FindPrincipal
  readonly log: Log
}

/** Concurrent scrapes. */
const scrapesMax = 4
/** Headers that common proxies add. */
const forwardedHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'] as const

/** Replies to every exchange itself and does not throw. */
export function createMetricsHandler(parts: MetricsHandlerDeps): RequestHandler {
  let scrapes = 0

  async function authorize(exchange: NodeExchange): Promise<void> {
    const { headers } = exchange.request
    const [, sent = null] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (sent === null && parts.isLocalOpen() && isLocal(exchange.address, headers)) return
    if (sent === null) {
      const detail =
        'send Authorization: Bearer with the token of the setting metrics.token, or with a token of an operator; metrics.local opens it to this machine'
      throw new Fault('signed_out', { detail })
    }
    const token = parts.token()
    if (token !== null && isSame(sent, token)) return
    const actor = await parts.findPrincipal({ session: null, token: sent })
    if (actor === null) throw new Fault('signed_out', { detail: 'this token is not one of ours' })
    if (!isOperator(actor)) throw new Fault('not_allowed', { detail: 'requires the role operator' })
  }

  return async (exchange) => {
    const { request, response } = exchange
    response.setHeader('x-request-id', exchange.requestId)
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    scrapes++
    try {
      if (!isReading) throw new Fault('wrong_http')
      if (scrapes > scrapesMax) throw new Fault('overloaded')
      await authorize(exchange)
      const text = await parts.text()
      if (response.destroyed) return
      response.writeHead(200, {
        'content-type': parts.contentType,
        'content-length': Buffer.byteLength(text),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      response.end(request.method === 'HEAD' ? undefined : text)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (fault.code === 'internal') {
        parts.log('error', 'metrics_failed', { requestId: exchange.requestId, cause: fault.cause })
      }
      sendAdminRefusal(exchange, fault, isReading ? null : 'GET, HEAD')
    } finally {
      scrapes--
    }
  }
}

function isLocal(address: string, headers: IncomingHttpHeaders): boolean {
  if (!/^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(address)) return false
  if (forwardedHeaders.some((name) => headers[name] !== undefined)) return false
  return headers.host === undefined || isLoopbackHost(headers.host)
}

function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}
