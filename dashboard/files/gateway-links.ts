// URLs of content at the gateway, and whether a browser may open them. Pure.
// Tested by dashboard/files/gateway-links.test.ts, test/browser/files.test.ts
import type { AdminReply } from '../../src/admin/client.ts'

/** How content is served: the state of the gateway, and the port of the IPFS API. */
export type Reading = {
  readonly gateway: AdminReply<'GET /status'>['gateway']
  readonly port: string
}

/**
 * What a browser gets without a key: files, or only raw blocks and CARs; null: nothing. `isPublic`: the content is a public pin,
 * which the gateway serves to everyone.
 */
export function openAs({ gateway }: Reading, isPublic: boolean): 'content' | 'blocks' | null {
  if (!gateway.enabled) return null
  if (gateway.local) return 'content'
  if (!gateway.public && !isPublic) return null
  return gateway.deserialized || gateway.host !== null ? 'content' : 'blocks'
}

/** Uses the host for content only, if there is one. */
export function gatewayLink(cid: string, { gateway, port }: Reading): string {
  if (gateway.host === null) return `/ipfs/${cid}`
  const authority = gateway.local && port !== '' ? `${gateway.host}:${port}` : gateway.host
  return `${location.protocol}//${authority}/ipfs/${cid}`
}

/** Start and end of the CID. */
export function shortCid(cid: string): string {
  return cid.length <= 20 ? cid : `${cid.slice(0, 9)}…${cid.slice(-7)}`
}
