// DNSLink: the path in a TXT record of `_dnslink.<name>`, and the inlining of DNS names into a single host label.
// Rules: https://dnslink.dev/, https://specs.ipfs.tech/http-gateways/subdomain-gateway/ (inlining of DNS names)
// Tested by src/ipfs/names/names.test.ts
import { parseCid } from '../../codec/ipld/cid.ts'
import { parseIpnsName } from '../../codec/ipld/ipns-name.ts'

/**
 * TXT records of a name. `ttlMs` null: the resolver does not report a TTL. Returns null if the name has no TXT records. Throws
 * `no_upstream`.
 */
export type LookUpTxt = (
  name: string,
  signal: AbortSignal,
) => Promise<{ readonly texts: readonly string[]; readonly ttlMs: number | null } | null>

const nameCharsMax = 253
const nameForm =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Lower case, without a trailing dot; null: not a DNS name of two or more labels. */
export function parseDnsName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '')
  return name.length <= nameCharsMax && nameForm.test(name) ? name : null
}

/** `en.wikipedia-on-ipfs.org` as `en-wikipedia--on--ipfs-org`. */
export function inlineDnsName(name: string): string {
  return name.replaceAll('-', '--').replaceAll('.', '-')
}

/**
 * The reverse of `inlineDnsName`; null: the label is not an inlined DNS name. A label with dots is returned as the DNS name that it
 * already is.
 */
export function dnsNameOfLabel(label: string): string | null {
  if (label.includes('.')) return parseDnsName(label)
  return parseDnsName(label.replaceAll(/--|-/g, (dashes) => (dashes === '--' ? '-' : '.')))
}

/** The path in the TXT records, `/ipfs/…` or `/ipns/…`; otherwise the reason why there is none. Other TXT records are ignored. */
export function findDnsLink(
  texts: readonly string[],
): { readonly path: string } | { readonly problem: string } {
  const paths = texts.flatMap((text) => pathsOf(text.replace(/^dnslink=/, '')))
  const [path, second] = [...new Set(paths)]
  if (path === undefined) return { problem: 'DNSLink lookup could not find a TXT record' }
  if (second !== undefined) {
    return { problem: 'DNSLink lookup returned more than one IPFS content path' }
  }
  return { path }
}

function pathsOf(text: string): readonly string[] {
  const [, namespace, name = ''] = /^\/(ipfs|ipns)\/([^/]+)(?:\/.*)?$/s.exec(text) ?? []
  if (namespace === 'ipfs') return parseCid(name) === null ? [] : [text]
  if (namespace === 'ipns') {
    return parseIpnsName(name) === null && parseDnsName(name) === null ? [] : [text]
  }
  // The older form contains only a CID.
  return parseCid(text) === null ? [] : [`/ipfs/${text}`]
}
