// All HTTP endpoints for administration: the admin API, its OpenAPI document, the dashboard. On the listener of the other APIs, or
// on a separate one.
// Tested by src/admin/http/admin-handler.test.ts
import { dashboardPath, isBrowser, leadToDashboard } from '../dashboard/dashboard-handler.ts'
import { metricsPath } from './metrics-handler.ts'
import type { RequestHandler, NodeExchange } from '../../http/node-exchange.ts'
import { type Answer, sendAnswer, textAnswer } from '../../http/text-answer.ts'
import { stripeHookPath } from './stripe-hook.ts'

export type AdminApiDeps = {
  /** Everything under `/api/v1/`. */
  readonly api: RequestHandler
  /** The OpenAPI document. */
  readonly openApi: () => string
  /** The OpenRPC document of the JSON-RPC API. */
  readonly openRpc: () => string
  /** `/dashboard` and everything under it; absent: disabled. */
  readonly dashboard?: RequestHandler
  /** Webhook events from Stripe; absent: disabled. */
  readonly stripeHook?: RequestHandler
}

/** Null: the path does not belong to the admin endpoints. */
export type AdminApi = (exchange: NodeExchange) => void | Promise<void> | null

export function createAdminApi(parts: AdminApiDeps): AdminApi {
  const { api, openApi, openRpc, dashboard, stripeHook } = parts
  return (exchange) => {
    const { path } = exchange
    if (path.startsWith('/api/v1/')) return api(exchange)
    if (dashboard !== undefined) {
      if (path === dashboardPath || path.startsWith(`${dashboardPath}/`)) return dashboard(exchange)
      if (path === '/' && isBrowser(exchange)) return leadToDashboard(exchange)
    }
    if (path === '/openrpc.json') {
      return sendDocument(exchange, { status: 200, type: 'application/json', body: openRpc() })
    }
    if (path === '/openapi.json') {
      return sendDocument(exchange, { status: 200, type: 'application/json', body: openApi() })
    }
    if (stripeHook !== undefined && path === stripeHookPath) return stripeHook(exchange)
    return null
  }
}

/** Serves `/metrics` and passes other requests to `side`; null: neither is enabled. */
export function withMetrics(side: AdminApi | null, metrics: RequestHandler): AdminApi {
  return (exchange) => {
    if (exchange.path === metricsPath) return metrics(exchange)
    // A synchronous reply returns undefined; only null means "another path".
    return side === null ? null : side(exchange)
  }
}

/** Replies to GET and HEAD. */
export function sendDocument(exchange: NodeExchange, document: Answer): void {
  const { request, response } = exchange
  response.setHeader('x-request-id', exchange.requestId)
  const readable = request.method === 'GET' || request.method === 'HEAD'
  const refusal = textAnswer(405, 'method not allowed', { allow: 'GET, HEAD' })
  sendAnswer(request, response, readable ? document : refusal)
}
