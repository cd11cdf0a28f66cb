// `/docs`, all paths below it, and `/llms.txt`: the built documentation of this version. Public, for any Host header: it contains
// no data of this server or its accounts.
// Tested by src/server/docs-site.test.ts
import type { RequestHandler, NodeExchange } from '../http/node-exchange.ts'
import { type BuiltFiles, sendBuiltFile } from '../http/built-files.ts'
import { assetsSource, pageHeaders } from '../http/page-headers.ts'

export const docsPath = '/docs'

/** Handles a request for its paths; null: another part handles the path. */
export type DocsSite = (exchange: NodeExchange) => ReturnType<RequestHandler> | null

/** `files`: null if the documentation was not built. */
export function createDocsSite(files: BuiltFiles | null): DocsSite {
  return (exchange) => {
    const { path } = exchange
    const name = nameOf(path)
    if (name === null) return null
    const { request, response } = exchange
    response.setHeader('x-request-id', exchange.requestId)
    const headers = docsHeaders(request.headers.host ?? '')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendText(exchange, 405, 'method not allowed', { ...headers, allow: 'GET, HEAD' })
    }
    if (files === null) return sendText(exchange, 503, notBuilt, headers)
    const other = otherPathOf(path, name, files)
    if (other !== null) return redirect(exchange, other, headers)
    // The 404 page itself cannot be requested.
    const isMissing = name === missing || `${name}.html` === missing
    const file = isMissing ? undefined : (files.get(name) ?? files.get(`${name}.html`))
    if (file !== undefined) return sendBuiltFile(exchange, file, headers)
    const page = files.get(missing)
    if (page === undefined) return sendText(exchange, 404, '404 page not found', headers)
    sendBuiltFile(exchange, page, headers, 404)
  }
}

const missing = '404.html'

/** File name, without the extension for a page; null: not a path of the documentation. */
function nameOf(path: string): string | null {
  if (path === '/llms.txt') return 'llms.txt'
  if (path === docsPath || path === `${docsPath}/`) return 'index.html'
  return path.startsWith(`${docsPath}/`) ? path.slice(docsPath.length + 1) : null
}

/** The canonical path of a page, so that its relative links work; null: `path` is canonical. */
function otherPathOf(path: string, name: string, files: BuiltFiles): string | null {
  if (path === docsPath) return `${docsPath}/`
  if (name === 'index.html') return path === `${docsPath}/` ? null : `${docsPath}/`
  const page = name.replace(/(?:\/|\.html)$/, '')
  const isPage = page !== name && page !== '404' && files.has(`${page}.html`)
  return isPage ? `${docsPath}/${page}` : null
}

/** The page can load only its own assets. */
function docsHeaders(host: string): Readonly<Record<string, string>> {
  const assets = assetsSource(host, `${docsPath}/assets/`)
  return pageHeaders(
    [
      "default-src 'none'",
      `script-src ${assets}`,
      `style-src ${assets}`,
      `img-src ${assets}`,
      `connect-src ${assets}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  )
}

const notBuilt = `The documentation has not been built here. Build it, then restart Cairn:

  npm run dashboard`

function redirect(
  { response }: NodeExchange,
  location: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(308, { ...headers, location, 'content-length': '0' })
  response.end()
}

function sendText(
  { response }: NodeExchange,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(sentence) + 1),
    'cache-control': 'no-store',
  })
  response.end(`${sentence}\n`)
}
