// Everything that is for people and programs that look after this server: the admin API, its document, the dashboard. On the same
// listener as the faces, or on one of its own.
// Tested by src/http/admin/admin-face.test.ts
import { dashboardPath, isBrowser, leadToDashboard } from '../dashboard-face.ts'
import { metricsPath } from '../metrics-face.ts'
import type { Face, NodeExchange } from '../node-exchange.ts'
import { type Answer, sendAnswer, textAnswer } from '../text-answer.ts'
import { stripeHookPath } from './stripe-hook.ts'

export type AdminSideParts = {
  /** Everything under `/api/v1/`. */
  readonly api: Face
  /** The OpenAPI document. */
  readonly openApi: () => string
  /** The OpenRPC document of the JSON-RPC face. */
  readonly openRpc: () => string
  /** `/dashboard` and everything under it; absent: nothing is there. */
  readonly dashboard?: Face
  /** What Stripe tells; absent: nothing is there. */
  readonly stripeHook?: Face
}

/** Null: the path is not of this side. */
export type AdminSide = (exchange: NodeExchange) => void | Promise<void> | null

export function createAdminSide(parts: AdminSideParts): AdminSide {
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

/** `side`, and `/metrics` before it; null: there is nothing else. */
export function withMetrics(side: AdminSide | null, metrics: Face): AdminSide {
  return (exchange) => {
    if (exchange.path === metricsPath) return metrics(exchange)
    // What was answered at once is undefined, not null.
    return side === null ? null : side(exchange)
  }
}

/** To GET and HEAD. */
export function sendDocument(exchange: NodeExchange, document: Answer): void {
  const { request, response } = exchange
  response.setHeader('x-request-id', exchange.requestId)
  const readable = request.method === 'GET' || request.method === 'HEAD'
  const refusal = textAnswer(405, 'method not allowed', { allow: 'GET, HEAD' })
  sendAnswer(request, response, readable ? document : refusal)
}
