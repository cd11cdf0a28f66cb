// Where a request wants to go: exactly one Host, and an absolute-form target that names the same authority
// (RFC 9112 3.2). node:http checks neither, so a proxy in front and Cairn could see two different sites.
// Tested by src/http/server.test.ts
import type { IncomingMessage } from 'node:http'

export type Target = {
  readonly path: string
  readonly query: string
  readonly hostLabel: string | null
}

const hostForm = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i

/** The target, or a sentence that says why the request must be refused with 400. */
export function readTarget(request: IncomingMessage): Target | string {
  const { rawHeaders } = request
  let hosts = 0
  let authorizations = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    // Length first: only these two names are looked for, on every request.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
  }
  if (hosts > 1) return 'a request must carry exactly one Host header'
  if (authorizations > 1) return 'a request must carry at most one Authorization header'
  const { host } = request.headers
  if (host === undefined && request.httpVersion !== '1.0') {
    return 'a request must carry exactly one Host header'
  }
  return parseTarget(request.url ?? '', host)
}

/** The same of the target as sent and the only Host header. */
export function parseTarget(sent: string, host: string | undefined): Target | string {
  if (host !== undefined && !hostForm.test(host)) return 'the Host header is malformed'
  let url = sent
  const absolute = absoluteForm.exec(url)
  if (absolute !== null) {
    if (host === undefined || absolute[1]?.toLowerCase() !== host.toLowerCase()) {
      return 'the target names another authority than the Host header'
    }
    url = absolute[2] as string
    if (!url.startsWith('/')) url = '/' + url
  }
  if (!url.startsWith('/')) return 'the target must be a path'
  const question = url.indexOf('?')
  return {
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? '' : url.slice(question + 1),
    hostLabel: host === undefined || host.startsWith('[') ? null : labelOf(host),
  }
}

function labelOf(host: string): string | null {
  const label = /^[^.:]*/.exec(host)?.[0]?.toLowerCase() ?? ''
  return label === '' ? null : label
}
