// Which face answers which path: exact forms only, a URL never reaches the file system.
// Tested by src/http/server.test.ts
import { parseRpcPath, type Routes, type RpcApi } from '../http/routes.ts'
import { type AdminApi, sendDocument } from '../admin/http/admin-api.ts'
import { liveAnswer, livePath, readyAnswer, readyPath } from './health.ts'
import type { RequestHandler } from '../http/node-exchange.ts'
import { indexPage } from './index-page.ts'
import { sendAnswer, textAnswer } from '../http/text-answer.ts'
import { tusPath } from '../kubo/tus/tus-headers.ts'

export type Faces = {
  readonly rpc: RpcApi
  /** Everything under `/api/v0/`. */
  readonly files: RequestHandler
  /** Everything under `/ipfs/`, which may begin with several slashes. */
  readonly paths: RequestHandler
  /** `/tus/files`, and everything under it; absent: nothing is there. */
  readonly tus?: RequestHandler
  /** The admin side; absent: it is switched off, or another listener has it. */
  readonly admin?: AdminApi
  /** Start has finished and the stores are open. */
  readonly ready: () => boolean
  /** Names of the networks served, default first; shown on the index page. */
  readonly networks: () => readonly string[]
}

/** The one table of paths. */
export function createRoutes(faces: Faces): Routes {
  return { any: createFace(faces), rpc: faces.rpc }
}

/** For a listener that has nothing else. */
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

function createFace(faces: Faces): RequestHandler {
  return (exchange) => {
    const { path } = exchange
    const rpcPath = parseRpcPath(path)
    if (rpcPath !== null) return faces.rpc(exchange, rpcPath)
    if (path.startsWith('/api/v0/')) return faces.files(exchange)
    if (path.startsWith('/ipfs/') || /^\/+ipfs\//.test(path)) return faces.paths(exchange)
    const { tus } = faces
    if (tus !== undefined && (path === tusPath || path.startsWith(`${tusPath}/`))) {
      return tus(exchange)
    }
    // Null alone says that it is not of that side: an answer given at once is undefined.
    const answered = faces.admin === undefined ? null : faces.admin(exchange)
    if (answered !== null) return answered
    exchange.response.setHeader('x-request-id', exchange.requestId)
    if (path === livePath) return sendDocument(exchange, liveAnswer())
    if (path === readyPath) {
      return sendDocument(
        exchange,
        readyAnswer({ ready: faces.ready(), draining: exchange.draining }),
      )
    }
    if (path === '/') {
      return sendDocument(
        exchange,
        indexPage(exchange.request.headers.host ?? '', faces.networks()),
      )
    }
    sendAnswer(exchange.request, exchange.response, textAnswer(404, '404 page not found'))
  }
}
