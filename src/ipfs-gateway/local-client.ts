// Whether a person on this machine opened the content host: the peer is on loopback without a proxy in between, the Host header has
// the port of this listener, and the request does not come from a page of another origin. So forwarded requests, names that resolve
// to loopback, and foreign pages cannot read content without a key.
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

/** Headers of proxies, tunnels and CDNs. */
const proxyHeaders =
  /^(?:forwarded|via|x-(?:forwarded|original|envoy)(?:-.*)?|x-(?:real|client)-ip|true-client-ip|(?:cf|fly|tailscale|cdn)-.*)$/

/** True if a person or a program on this machine made the request directly. */
export function isLocalClient({ headers, socket }: LocalRequest): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  if (!isLoopback(peer)) return false
  if (Object.keys(headers).some((name) => proxyHeaders.test(name))) return false
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'
  return Number(port) === socket.localPort && !isForeign(headers)
}
