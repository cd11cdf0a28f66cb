// The cookie of a session. Over loopback without TLS some browsers drop Secure cookies, so there it has another name
// and no Secure; everywhere else it is bound to this host and to TLS (product 11).
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
  const name = cookieName(host, origin)
  const found = (cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  // Two of one name: somebody else's page may have put one there.
  return found.length === 1 ? (found[0] as string).slice(name.length + 1) : null
}

/** `expires`: milliseconds since 1970 UTC; null ends it. */
export function sessionCookie(
  session: { readonly token: string; readonly expires: number } | null,
  host: string | undefined,
  origin: string | undefined,
): string {
  const name = cookieName(host, origin)
  const secure = name === secureName ? '; Secure' : ''
  const until =
    session === null ? 'Max-Age=0' : `Expires=${new Date(session.expires).toUTCString()}`
  return `${name}=${session?.token ?? ''}; Path=/; ${until}; HttpOnly; SameSite=Lax${secure}`
}

function cookieName(host: string | undefined, origin: string | undefined): string {
  const plain = host !== undefined && isLoopbackHost(host) && origin?.startsWith('https:') !== true
  return plain ? loopbackName : secureName
}
