// The cookie of a session. Over loopback without TLS some browsers drop Secure cookies, so there it has another name
// and no Secure; everywhere else it is bound to this host and to TLS (product 11). Browsers send a host's cookies to all of
// its ports, so the name holds the port: two servers on one machine do not sign each other out.
// Tested by src/http/admin/admin-face.test.ts
import { isLoopbackHost } from './admin-rules.ts'

const secureName = '__Host-cairn'
const loopbackName = 'cairn-session'

/** The token of the session; null: none was sent, or more than one. */
export function readSession(
  cookie: string | undefined,
  host: string | undefined,
  origin: string | undefined,
): string | null {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const named = (name: string) => pairs.filter((pair) => pair.startsWith(`${name}=`))
  const name = cookieName(host, origin)
  const secure = nameAt(secureName, host)
  // Without an origin nothing says whether TLS is in front of loopback, but what browsers keep for TLS alone does.
  const found = origin === undefined && named(secure).length > 0 ? named(secure) : named(name)
  // Two of one name: somebody else's page may have put one there.
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? null : only.slice(only.indexOf('=') + 1)
}

/** `expires`: milliseconds since 1970 UTC; null ends it. */
export function sessionCookie(
  session: { readonly token: string; readonly expires: number } | null,
  host: string | undefined,
  origin: string | undefined,
): string {
  const name = cookieName(host, origin)
  const secure = name.startsWith(secureName) ? '; Secure' : ''
  const until =
    session === null ? 'Max-Age=0' : `Expires=${new Date(session.expires).toUTCString()}`
  return `${name}=${session?.token ?? ''}; Path=/; ${until}; HttpOnly; SameSite=Lax${secure}`
}

function cookieName(host: string | undefined, origin: string | undefined): string {
  const plain = host !== undefined && isLoopbackHost(host) && origin?.startsWith('https:') !== true
  return nameAt(plain ? loopbackName : secureName, host)
}

function nameAt(name: string, host: string | undefined): string {
  const [, port] = /:(\d{1,5})$/.exec(host ?? '') ?? []
  return port === undefined ? name : `${name}-${port}`
}
