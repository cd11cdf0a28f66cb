// Everything that is for people and programs that look after this server: the admin API and its document. On the same
// listener as the faces, or on one of its own.
// Tested by src/http/admin/admin-face.test.ts
import type { Face, NodeExchange } from '../node-exchange.ts'
import { type Answer, sendAnswer, textAnswer } from '../text-answer.ts'

export type AdminSideParts = {
  /** Everything under `/api/v1/`. */
  readonly api: Face
  /** The OpenAPI document. */
  readonly openApi: () => string
}

/** Null: the path is not of this side. */
export type AdminSide = (exchange: NodeExchange) => void | Promise<void> | null

export function createAdminSide({ api, openApi }: AdminSideParts): AdminSide {
  return (exchange) => {
    if (exchange.path.startsWith('/api/v1/')) return api(exchange)
    if (exchange.path === '/openapi.json') {
      return sendDocument(exchange, { status: 200, type: 'application/json', body: openApi() })
    }
    return null
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
