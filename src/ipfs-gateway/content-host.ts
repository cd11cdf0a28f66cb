// The content host: one name for paths, and below it one for each root CID, so that browsers isolate sites from each other.
// Pure. Rules: https://specs.ipfs.tech/http-gateways/subdomain-gateway/
// Tested by src/ipfs-gateway/content-host.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { findMultibase, parseCid } from '../codec/ipld/cid.ts'

/** `authority`: the content host with the port of the request. `label`: as sent, in lower case. */
export type ContentHost =
  | { readonly kind: 'paths'; readonly authority: string }
  | { readonly kind: 'root'; readonly authority: string; readonly label: string }
  | { readonly kind: 'ipns'; readonly authority: string }

/** Longest label of a DNS name (RFC 2181 11). */
const labelCharsMax = 63
const libp2pKeyCodec = 0x72

/** `own`: the content host; null: none. `host`: a well-formed Host header. Null: the request is for another host. */
export function findContentHost(own: string | null, host: string | undefined): ContentHost | null {
  if (own === null || host === undefined) return null
  const port = /:\d+$/.exec(host)?.[0] ?? ''
  const name = host.slice(0, host.length - port.length).toLowerCase()
  const authority = own + port
  if (name === own) return { kind: 'paths', authority }
  if (!name.endsWith(`.${own}`)) return null
  const below = name.slice(0, -own.length - 1)
  const [, label, namespace] = /^([^.]+)\.(ipfs|ipns)$/.exec(below) ?? []
  if (label === undefined) return null
  return namespace === 'ipns' ? { kind: 'ipns', authority } : { kind: 'root', authority, label }
}

/**
 * The label of `cid`: version 1 in base32, or in base36 where only that fits. Throws `bad_argument` for a CID that fits in
 * no label, and for the key of an IPNS name.
 */
export function labelOfRoot(cid: CID): string {
  if (cid.code === libp2pKeyCodec) throw ipnsNotSupported()
  const v1 = cid.toV1()
  for (const name of ['base32', 'base36']) {
    const text = v1.toString(findMultibase(name) ?? undefined)
    if (text.length <= labelCharsMax) return text
  }
  throw tooLong(v1.toString())
}

/** The CID of a label. Throws `bad_argument`. */
export function rootOfLabel(label: string): CID {
  if (label.length > labelCharsMax) throw tooLong(label)
  const cid = parseCid(label)
  if (cid === null) {
    throw new Fault('bad_argument', { detail: `invalid cid: ${JSON.stringify(label)}` })
  }
  return cid
}

/** `bad_argument`, for IPNS names. */
export function ipnsNotSupported(): Fault {
  return new Fault('bad_argument', { detail: 'this server does not resolve IPNS names' })
}

function tooLong(cid: string): Fault {
  const shown = cid.slice(0, 200)
  return new Fault('bad_argument', {
    detail: `CID incompatible with DNS label length limit of ${labelCharsMax}: ${shown}`,
  })
}

/** The path of an `ipfs://` address, as `registerProtocolHandler` sends it. Throws `bad_argument`. */
export function pathOfUri(uri: string): string {
  const [, scheme = '', rest = ''] = /^(ipfs|ipns):\/\/(.*)$/is.exec(uri) ?? []
  if (scheme.toLowerCase() === 'ipns') throw ipnsNotSupported()
  const [name = ''] = rest.split(/[/?#]/, 1)
  // As a URL, so that no character can end the header, and no `..` is left.
  const { pathname, search } = new URL(`/ipfs/${rest.replace(/#.*$/s, '')}`, 'http://x')
  if (scheme === '' || parseCid(name) === null || !pathname.startsWith(`/ipfs/${name}`)) {
    const shown = JSON.stringify(uri.slice(0, 200))
    throw new Fault('bad_argument', { detail: `uri is ${shown}, expected ipfs://<cid>[/path]` })
  }
  return pathname + search
}
