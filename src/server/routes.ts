// Routes paths to APIs. Only exact forms match, and a URL never reaches the file system.
// Tested by src/http/server.test.ts
import { parseRpcPath, type Routes, type RpcApi } from '../http/routes.ts'
import { type AdminApi, sendDocument } from '../admin/http/admin-api.ts'
import { liveAnswer, livePath, readyAnswer, readyPath } from './health.ts'
import type { RequestHandler } from '../http/node-exchange.ts'
import { indexPage } from './index-page.ts'
import { sendAnswer, textAnswer } from '../http/text-answer.ts'
import { tusPath } from '../kubo/tus/tus-headers.ts'

export type Endpoints = {
  readonly rpc: RpcApi
  /** All of `/api/v0/`. */
  readonly files: RequestHandler
  /** All of `/ipfs/`, also with several leading slashes. */
  readonly paths: RequestHandler
  /** `/tus/files` and all below it; absent: turned off. */
  readonly tus?: RequestHandler
  /** The admin API; absent: turned off, or on another listener. */
  readonly admin?: AdminApi
  /** The start has finished and the stores are open. */
  readonly ready: () => boolean
  /** Names of the networks served, default first; shown on the index page. */
  readonly networks: () => readonly string[]
}

/** The table of paths. */
export function createRoutes(endpoints: Endpoints): Routes {
  return { any: createRouter(endpoints), rpc: endpoints.rpc }
}

/** For a listener of the admin API alone. */
export function createAdminOnlyRoutes(side: AdminApi): Routes {
  return {
    any(exchange) {
      const answered = side(exchange)
      if (answered !== null) return answered
      if (exchange.path === livePath) return sendDocument(exchange, liveAnswer())
      const { request, response } = exchange
      sendAnswer(request, response, textAnswer(404, '404 page not found'))
    },
    rpc: (exchange) =>
      exchange.send({
        status: 404,
        fixed: [],
        own: [],
        text: '',
        ascii: true,
        bodyUnread: true,
        closes: true,
      }),
  }
}

function createRouter(endpoints: Endpoints): RequestHandler {
  return (exchange) => {
    const { path } = exchange
    const rpcPath = parseRpcPath(path)
    if (rpcPath !== null) return endpoints.rpc(exchange, rpcPath)
    if (path.startsWith('/api/v0/')) return endpoints.files(exchange)
    if (path.startsWith('/ipfs/') || /^\/+ipfs\//.test(path)) return endpoints.paths(exchange)
    const { tus } = endpoints
    if (tus !== undefined && (path === tusPath || path.startsWith(`${tusPath}/`))) {
      return tus(exchange)
    }
    // Only null means "not an admin path": a synchronous reply is undefined.
    const answered = endpoints.admin === undefined ? null : endpoints.admin(exchange)
    if (answered !== null) return answered
    exchange.response.setHeader('x-request-id', exchange.requestId)
    if (path === livePath) return sendDocument(exchange, liveAnswer())
    if (path === readyPath) {
      return sendDocument(
        exchange,
        readyAnswer({ ready: endpoints.ready(), draining: exchange.draining }),
      )
    }
    if (path === '/') {
      return sendDocument(
        exchange,
        indexPage(exchange.request.headers.host ?? '', endpoints.networks()),
      )
    }
    sendAnswer(exchange.request, exchange.response, textAnswer(404, '404 page not found'))
  }
}
