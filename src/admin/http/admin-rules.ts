// Which requests may reach the admin side at all: by Host, against pages that rebind their name to this server; by
// address; and, with a session, only from the page itself (product 11: CSRF, rebinding).
// Tested by src/admin/http/admin-handler.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../base/fault.ts'

/** A request that changes something names itself so: no form and no plain link can. */
const guardHeader = 'x-cairn-admin'

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1'])

/** Of a Host header, in lower case, without port and brackets. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  return (bracketed?.[1] ?? host.split(':', 1)[0] ?? '').toLowerCase()
}

/** Reached by a name or an address of loopback. */
export function isLoopbackHost(host: string): boolean {
  const name = hostName(host)
  return loopbackNames.has(name) || /^127(\.\d{1,3}){3}$/.test(name) || name.endsWith('.localhost')
}

/** Throws `wrong_host`, which names the setting that allows the name. */
export function checkHost(host: string | undefined, hosts: readonly string[]): void {
  if (host === undefined) throw new Fault('wrong_host', { detail: 'a request must carry a Host' })
  if (isLoopbackHost(host)) return
  const name = hostName(host)
  if (hosts.includes(name)) return
  throw new Fault('wrong_host', {
    detail: `the dashboard is not reached by the name ${name}: add it to the setting admin.hosts`,
    data: { setting: 'admin.hosts', host: name },
  })
}

/**
 * A state-changing request with a cookie, or one that sets a cookie, must come from a page of this origin: Origin is
 * this server's (or Sec-Fetch-Site confirms it), and it has the guard header. Throws `foreign_origin`.
 */
export function checkOrigin(headers: IncomingHttpHeaders): void {
  const { origin } = headers
  const own =
    origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : ownOrigin(headers) !== null
  if (!own) throw new Fault('foreign_origin')
  if (headers[guardHeader] === undefined) {
    throw new Fault('foreign_origin', { detail: `the header ${guardHeader} is missing` })
  }
}

/** The Origin of the request if it is this server's; null: absent or another. */
export function ownOrigin({ origin, host }: IncomingHttpHeaders): string | null {
  return origin !== undefined && (origin === `https://${host}` || origin === `http://${host}`)
    ? origin
    : null
}
