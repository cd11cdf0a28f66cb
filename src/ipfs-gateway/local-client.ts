// Whether a person at this machine opened the content host: the peer is on loopback with no proxy between, the Host has the
// port of this listener, and no page of another origin asks for itself. So neither a forwarded request, nor a name that
// resolves to loopback, nor a foreign page reads what needs no key here.
// Tested by src/ipfs-gateway/local-client.test.ts
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../base/addresses.ts'
import { isForeign } from '../http/cross-origin.ts'

export type LocalRequest = {
  readonly headers: IncomingHttpHeaders
  readonly socket: {
    readonly remoteAddress?: string | undefined
    readonly localPort?: number | undefined
  }
}

/** Of proxies, tunnels and content networks. */
const proxyHeaders =
  /^(?:forwarded|via|x-(?:forwarded|original|envoy)(?:-.*)?|x-(?:real|client)-ip|true-client-ip|(?:cf|fly|tailscale|cdn)-.*)$/

/** True if a person or a program at this machine made the request for itself. */
export function isLocalClient({ headers, socket }: LocalRequest): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  if (!isLoopback(peer)) return false
  if (Object.keys(headers).some((name) => proxyHeaders.test(name))) return false
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'
  return Number(port) === socket.localPort && !isForeign(headers)
}
