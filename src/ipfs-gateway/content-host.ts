// The content host: one host name for paths, and below it one host for each root CID and IPNS name, so that browsers isolate sites
// from each other; and the hosts of DNSLink sites. Pure. Rules: https://specs.ipfs.tech/http-gateways/subdomain-gateway/,
// https://specs.ipfs.tech/http-gateways/dnslink-gateway/
// Tested by src/ipfs-gateway/content-host.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { findMultibase, parseCid } from '../codec/ipld/cid.ts'
import { libp2pKeyCodec, parseIpnsName } from '../codec/ipld/ipns-name.ts'
import { dnsNameOfLabel, inlineDnsName, parseDnsName } from '../ipfs/names/dnslink.ts'

/**
 * `authority`: the content host with the port of the request; for a `site` its own host. `label`: as sent, in lower case. `site`:
 * the host of a DNS name with a DNSLink.
 */
export type ContentHost =
  | { readonly kind: 'paths'; readonly authority: string }
  | { readonly kind: 'root'; readonly authority: string; readonly label: string }
  | { readonly kind: 'ipns'; readonly authority: string; readonly label: string }
  | { readonly kind: 'site'; readonly authority: string; readonly name: string }

/** Longest label of a DNS name (RFC 2181 11). */
const labelCharsMax = 63

/**
 * `contentHost`: null if there is none. `sites`: DNS names. `host`: a well-formed Host header. Returns null if the request is for
 * another host.
 */
export function findContentHost(
  contentHost: string | null,
  sites: readonly string[],
  host: string | undefined,
): ContentHost | null {
  if (host === undefined) return null
  const port = /:\d+$/.exec(host)?.[0] ?? ''
  const name = host.slice(0, host.length - port.length).toLowerCase()
  if (contentHost !== null) {
    const authority = contentHost + port
    if (name === contentHost) return { kind: 'paths', authority }
    const below = name.endsWith(`.${contentHost}`) ? name.slice(0, -contentHost.length - 1) : ''
    const [, root] = /^([^.]+)\.ipfs$/.exec(below) ?? []
    if (root !== undefined) return { kind: 'root', authority, label: root }
    const [, label] = /^(.+)\.ipns$/.exec(below) ?? []
    if (label !== undefined) return { kind: 'ipns', authority, label }
  }
  return sites.includes(name) ? { kind: 'site', authority: name + port, name } : null
}

/**
 * The label of `cid`: version 1 in base32, or in base36 if base32 is too long. Throws `bad_argument` for a CID that fits in no
 * label, and for the key of an IPNS name.
 */
export function labelOfRoot(cid: CID): string {
  if (cid.code === libp2pKeyCodec) {
    const detail = `${cid.toString()} is an IPNS name: its content is below /ipns/`
    throw new Fault('bad_argument', { detail })
  }
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

/**
 * The canonical form of an IPNS name in a path: a key as `k51…`, a DNS name in lower case. `anyCodec`: accepts a CID of another
 * codec as a key. Throws `bad_argument` if the text is not a name.
 */
export function canonicalName(text: string, { anyCodec = false } = {}): string {
  const name = parseIpnsName(text, { anyCodec })?.text ?? parseDnsName(text)
  if (name !== null) return name
  const shown = JSON.stringify(text.slice(0, 200))
  throw new Fault('bad_argument', { detail: `${shown} is neither an IPNS name nor a DNS name` })
}

/** The name of one label, or of several labels that form a DNS name. Throws `bad_argument`. */
export function nameOfLabel(label: string): string {
  if (!label.includes('.') && label.length > labelCharsMax) throw tooLong(label)
  const key = parseIpnsName(label, { anyCodec: true })
  return key?.text ?? dnsNameOfLabel(label) ?? canonicalName(label)
}

/** The label of a name in canonical form (`canonicalName`). Throws `bad_argument` for a DNS name that fits in no label. */
export function labelOfName(name: string): string {
  const label = inlineDnsName(name)
  if (label.length > labelCharsMax) throw tooLong(name)
  return label
}

function tooLong(cid: string): Fault {
  const shown = cid.slice(0, 200)
  return new Fault('bad_argument', {
    detail: `CID incompatible with DNS label length limit of ${labelCharsMax}: ${shown}`,
  })
}

/** The path of an `ipfs://` or `ipns://` URI, as `registerProtocolHandler` sends it. Throws `bad_argument`. */
export function pathOfUri(uri: string): string {
  const [, scheme = '', subpath = ''] = /^(ipfs|ipns):\/\/(.*)$/is.exec(uri) ?? []
  const namespace = scheme.toLowerCase() === 'ipns' ? 'ipns' : 'ipfs'
  const [name = ''] = subpath.split(/[/?#]/, 1)
  // Parsed as a URL, so that no character can end the header and no `..` remains.
  const { pathname, search } = new URL(`/${namespace}/${subpath.replace(/#.*$/s, '')}`, 'http://x')
  const isName =
    namespace === 'ipns'
      ? parseIpnsName(name) !== null || parseDnsName(name) !== null
      : parseCid(name) !== null
  if (scheme === '' || !isName || !pathname.startsWith(`/${namespace}/${name}`)) {
    const shown = JSON.stringify(uri.slice(0, 200))
    const detail = `uri is ${shown}, expected ipfs://<cid>[/path] or ipns://<name>[/path]`
    throw new Fault('bad_argument', { detail })
  }
  return pathname + search
}
