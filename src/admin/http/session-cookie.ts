// The cookies of the admin side: of a session, and of a browser that signed in before. Over loopback without TLS some browsers drop Secure cookies, so there it has another name
// and no Secure; everywhere else it is bound to this host and to TLS (product 11). Browsers send a host's cookies to all of
// its ports, so the name holds the port: two servers on one machine do not sign each other out.
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
  // Without an origin nothing says whether TLS is in front of loopback, but what browsers keep for TLS alone does.
  const found = origin === undefined && named(secure).length > 0 ? named(secure) : named(name)
  // Two of one name: somebody else's page may have put one there.
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
