// Serves `/dashboard`: the built page and its assets. The browser selects the page, so every page path returns the same document.
// Tested by src/admin/dashboard/dashboard-handler.test.ts
import { Fault } from '../../base/fault.ts'
import type { AdminHandlerDeps } from '../http/admin-handler.ts'
import { checkHost } from '../http/admin-access.ts'
import { type BuiltFiles, sendBuiltFile } from '../../http/built-files.ts'
import { cardFormHeaders, dashboardHeaders } from './dashboard-policy.ts'
import type { RequestHandler, NodeExchange } from '../../http/node-exchange.ts'

export const dashboardPath = '/dashboard'

/** Page paths consist of plain words: `/dashboard/keys`, `/dashboard/keys/key_1`. */
const pageForm = /^\/dashboard(?:\/[A-Za-z0-9_-]{1,64}){0,6}\/?$/

export type DashboardDeps = {
  /** Null if the dashboard was not built; every page path then returns that error. */
  readonly files: BuiltFiles | null
  readonly settings: Pick<AdminHandlerDeps['settings'], 'hosts' | 'admits'>
  /** True if cards are added in Stripe's form, whose document needs a different policy. */
  readonly takesCards?: () => boolean
}

/** The only document that may load Stripe's scripts. */
const cardForm = /^\/dashboard\/card\/new\/?$/

export function createDashboardHandler(parts: DashboardDeps): RequestHandler {
  const { files, settings, takesCards = () => false } = parts
  return (exchange) => {
    exchange.response.setHeader('x-request-id', exchange.requestId)
    const refusal = refusalOf(exchange, settings)
    if (refusal !== null) return sendText(exchange, refusal.row.status, refusal.message)
    const { method, path } = exchange
    if (method !== 'GET' && method !== 'HEAD') {
      return sendText(exchange, 405, 'method not allowed', { allow: 'GET, HEAD' })
    }
    const isPage = pageForm.test(path)
    const form = cardForm.test(path) && takesCards() ? files?.get('card.html') : undefined
    const host = exchange.request.headers.host ?? ''
    if (form !== undefined) return sendBuiltFile(exchange, form, cardFormHeaders(host))
    if (isPage && files === null) return sendText(exchange, 503, notBuilt)
    const name = isPage ? 'index.html' : path.slice(dashboardPath.length + 1)
    const file = files?.get(name)
    if (file === undefined) return sendText(exchange, 404, '404 page not found')
    sendBuiltFile(exchange, file, dashboardHeaders(host))
  }
}

/** If the API would refuse the request, the page is refused too; the error names the setting. */
function refusalOf(
  { request, address }: NodeExchange,
  { hosts, admits }: DashboardDeps['settings'],
): Fault | null {
  try {
    checkHost(request.headers.host, hosts)
    return admits(address) ? null : new Fault('wrong_address')
  } catch (thrown) {
    return Fault.from(thrown)
  }
}

const notBuilt = `The dashboard has not been built here. This builds it; then start Cairn anew:

  npm run dashboard
`

/** Returns true if the client accepts HTML. */
export function isBrowser({ request }: NodeExchange): boolean {
  return /\btext\/html\b/i.test(request.headers.accept ?? '')
}

export function leadToDashboard({ request, response, requestId }: NodeExchange): void {
  response.writeHead(303, {
    ...dashboardHeaders(request.headers.host ?? ''),
    'x-request-id': requestId,
    location: `${dashboardPath}/`,
    'cache-control': 'no-store',
    vary: 'Accept',
    'content-length': '0',
  })
  response.end()
}

function sendText(
  { request, response }: NodeExchange,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...dashboardHeaders(request.headers.host ?? ''),
    ...headers,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(sentence) + 1),
    'cache-control': 'no-store',
  })
  response.end(`${sentence}\n`)
}
