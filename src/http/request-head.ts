// The head of a request. Target: exactly one Host, and an absolute-form target with the same authority (RFC 9112 3.2), which
// node:http does not check. Authorization: Basic (RFC 7617) and Bearer (RFC 6750). Client address: from the connection, or from
// X-Forwarded-For of a trusted proxy. And the request ID.
// Tested by src/http/server.test.ts
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { randomBytes } from 'node:crypto'

export type Target = {
  readonly path: string
  readonly query: string
  readonly hostLabel: string | null
}

const hostForm = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i

/** The target, or the message of the 400 refusal. */
export function readTarget(request: IncomingMessage): Target | string {
  const { rawHeaders } = request
  let hosts = 0
  let authorizations = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    // Length first, because this runs for every header of every request.
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

/** As `readTarget`, from the target as sent and the only Host header. */
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

export type BasicPair = { readonly user: string; readonly password: string }

const headerCharsMax = 8_192
const basicForm = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i

/** Null without a header; `malformed` for another scheme, bad base64, no colon, NUL, over 8 KiB. */
export function parseBasic(header: string | undefined): BasicPair | null | 'malformed' {
  if (header === undefined) return null
  if (header.length > headerCharsMax) return 'malformed'
  const encoded = basicForm.exec(header.trim())?.[1]
  if (encoded === undefined) return 'malformed'
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0')) return 'malformed'
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

const bearerForm = /^bearer(?: +([A-Za-z0-9_.-]*))?$/i

/** Null without a header and for another scheme. Empty if the token is missing, malformed or over 8 KiB. */
export function parseBearer(header: string | undefined): string | null {
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return null
  if (header.length > headerCharsMax) return ''
  return bearerForm.exec(header.trim())?.[1] ?? ''
}

export type ClientAddress = {
  /** Whether the peer is a trusted proxy. */
  readonly trusts: (peer: string) => boolean
  /** `forwardedFor`: the header as sent, several joined by a comma. */
  readonly of: (peer: string, forwardedFor: string | undefined) => string
}

/** Longest chain of proxies; addresses before it are ignored. */
const proxiesMax = 16

/**
 * Each proxy appends the address of its peer, so the last address that is not a trusted proxy is the client. If an
 * entry is not an address, the proxy that added it counts as the client.
 */
export function createClientAddress(trusts: (address: string) => boolean): ClientAddress {
  return {
    trusts,
    of(peer, forwardedFor) {
      if (forwardedFor === undefined || !trusts(peer)) return peer
      let client = peer
      let rest = forwardedFor
      for (let hops = 0; hops < proxiesMax && rest !== ''; hops++) {
        const comma = rest.lastIndexOf(',')
        const address = addressIn(rest.slice(comma + 1).trim())
        if (address === null) return client
        client = address
        if (!trusts(address)) return address
        rest = comma === -1 ? '' : rest.slice(0, comma)
      }
      return client
    },
  }
}

/** No proxy is trusted: the client address is that of the socket. */
export const peerAddress: ClientAddress = { trusts: () => false, of: (peer) => peer }

/** Some proxies add the port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressIn(entry: string): string | null {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return isIP(address) === 0 ? null : address
}

const requestIdForm = /^[A-Za-z0-9_-]{1,64}$/

/** The ID that the client sent, if well formed; otherwise a new one of at most 64 characters. */
export function createRequestIds(): (requested: string | string[] | undefined) => string {
  const process = randomBytes(9).toString('base64url')
  let count = 0
  return (requested) => {
    if (typeof requested === 'string' && requestIdForm.test(requested)) return requested
    count += 1
    return `${process}-${count.toString(36)}`
  }
}
