// URLs of content at the gateway, and whether a browser may open them. Pure.
// Tested by test/browser/files.test.ts
import type { AdminReply } from '../../src/admin/client.ts'

/** How content is served: the state of the gateway, and the port of the IPFS API. */
export type Reading = {
  readonly gateway: AdminReply<'GET /status'>['gateway']
  readonly port: string
}

/** True if a browser without a key may open pins. */
export function isOpen({ gateway }: Reading): boolean {
  if (!gateway.enabled) return false
  return gateway.local || (gateway.public && (gateway.deserialized || gateway.host !== null))
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
