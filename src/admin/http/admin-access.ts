// Access to the admin API: checks Host (against DNS rebinding) and client address; with a session, requires the page's own origin
// (CSRF); reads and sets session cookies; and limits concurrent requests per person, per address without a session, for all such
// addresses, and in total, so that no caller blocks the others.
// Tested by src/admin/http/admin-handler.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../base/fault.ts'
import { createKeyedSemaphore } from '../../base/keyed-semaphore.ts'
import type { Principal } from '../principal.ts'

/** Required on requests that change state: a form or a plain link cannot send it. */
const guardHeader = 'x-cairn-admin'

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1'])

/** Host name of a Host header, in lower case, without port and brackets. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  return (bracketed?.[1] ?? host.split(':', 1)[0] ?? '').toLowerCase()
}

/** Returns true if the Host is a name or an address of loopback. */
export function isLoopbackHost(host: string): boolean {
  const name = hostName(host)
  return loopbackNames.has(name) || /^127(\.\d{1,3}){3}$/.test(name) || name.endsWith('.localhost')
}

/** Throws `wrong_host`; its message names the setting that allows the name. */
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

type CookieKind = 'session' | 'device'

const secureNames = { session: '__Host-cairn', device: '__Host-cairn-device' } as const
const plainNames = { session: 'cairn-session', device: 'cairn-device' } as const

/** The value of the cookie; null: not sent, or sent more than once. */
export function readCookie(
  kind: CookieKind,
  cookie: string | undefined,
  host: string | undefined,
  origin: string | undefined,
): string | null {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const named = (name: string) => pairs.filter((pair) => pair.startsWith(`${name}=`))
  const name = cookieName(kind, host, origin)
  const secure = nameAt(secureNames[kind], host)
  // Without an Origin header the server cannot detect TLS in front of loopback, but a cookie that requires TLS proves it.
  const found = origin === undefined && named(secure).length > 0 ? named(secure) : named(name)
  // Two cookies with the same name: a page of another origin may have set one.
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? null : only.slice(only.indexOf('=') + 1)
}

/** The header `Set-Cookie`. `expires`: milliseconds since 1970 UTC; null deletes the cookie. */
export function setCookie(
  kind: CookieKind,
  value: { readonly token: string; readonly expires: number } | null,
  host: string | undefined,
  origin: string | undefined,
): string {
  const name = cookieName(kind, host, origin)
  const secure = name.startsWith(secureNames[kind]) ? '; Secure' : ''
  const until = value === null ? 'Max-Age=0' : `Expires=${new Date(value.expires).toUTCString()}`
  return `${name}=${value?.token ?? ''}; Path=/; ${until}; HttpOnly; SameSite=Lax${secure}`
}

function cookieName(
  kind: CookieKind,
  host: string | undefined,
  origin: string | undefined,
): string {
  const plain = host !== undefined && isLoopbackHost(host) && origin?.startsWith('https:') !== true
  return nameAt(plain ? plainNames[kind] : secureNames[kind], host)
}

function nameAt(name: string, host: string | undefined): string {
  const [, port] = /:(\d{1,5})$/.exec(host ?? '') ?? []
  return port === undefined ? name : `${name}-${port}`
}

export type AdminConcurrency = {
  /** `from`: the network of the client address. Returns the release function. Throws `overloaded`. */
  acquire(actor: Principal | null, from: string): () => void
}

/** Concurrent requests of one person, including those with tokens. */
const perPersonMax = 64
/** For all unauthenticated callers: the rest of the capacity is reserved for signed-in people. */
const strangersMax = 128
const strangersPerAddressMax = 16
/** For all callers. */
const requestsMax = 256

export function createAdminConcurrency(): AdminConcurrency {
  const people = createKeyedSemaphore(perPersonMax)
  const addresses = createKeyedSemaphore(strangersPerAddressMax)
  let strangers = 0
  let requests = 0

  function takePerson(personId: string): () => void {
    if (people.acquire(personId)) return () => people.release(personId)
    throw new Fault('overloaded', {
      detail: `${perPersonMax} requests of yours are under way here already`,
    })
  }

  function takeStranger(from: string): () => void {
    if (strangers >= strangersMax || !addresses.acquire(from)) throw new Fault('overloaded')
    strangers++
    return () => {
      strangers--
      addresses.release(from)
    }
  }

  return {
    acquire(actor, from) {
      if (requests >= requestsMax) throw new Fault('overloaded')
      const release = actor?.kind === 'person' ? takePerson(actor.personId) : takeStranger(from)
      requests++
      return () => {
        requests--
        release()
      }
    },
  }
}
