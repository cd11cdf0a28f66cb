// Cookies of the dashboard: the session, and the device cookie of earlier sign-ins. Some browsers drop Secure cookies over
// loopback without TLS, so there the cookie has another name and no Secure; otherwise it is bound to this host and to TLS.
// Browsers send a host's cookies to all ports, so the name contains the port: two servers on one machine do not conflict.
// Tested by src/admin/http/admin-handler.test.ts
import { isLoopbackHost } from './admin-rules.ts'

type CookieKind = 'session' | 'device'

const secureNames = { session: '__Host-cairn', device: '__Host-cairn-device' } as const
const loopbackNames = { session: 'cairn-session', device: 'cairn-device' } as const

/** Its value; null: none was sent, or more than one. */
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
  // Without an Origin the server cannot detect TLS in front of loopback, but a cookie that needs TLS proves it.
  const found = origin === undefined && named(secure).length > 0 ? named(secure) : named(name)
  // Two of one name: a page of another origin may have set one.
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? null : only.slice(only.indexOf('=') + 1)
}

/** The header `Set-Cookie`. `expires`: milliseconds since 1970 UTC; null ends it. */
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
  return nameAt(plain ? loopbackNames[kind] : secureNames[kind], host)
}

function nameAt(name: string, host: string | undefined): string {
  const [, port] = /:(\d{1,5})$/.exec(host ?? '') ?? []
  return port === undefined ? name : `${name}-${port}`
}
