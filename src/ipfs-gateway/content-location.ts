// The content host of a request, and where the content has its one address: the origin of its root CID, one spelling of the
// path. Rules: https://specs.ipfs.tech/http-gateways/subdomain-gateway/
// Tested by src/ipfs-gateway/subdomains.test.ts
import { Fault } from '../base/fault.ts'
import { parseCid } from '../codec/ipld/cid.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import {
  type ContentHost,
  findContentHost,
  labelOfRoot,
  ipnsNotSupported,
  pathOfUri,
  rootOfLabel,
} from './content-host.ts'
import { canonicalPath } from './ipfs-gateway-request.ts'
import type { ContentOrigin } from './path-operation.ts'

type HostSettings = { readonly host: string | null; readonly subdomains: boolean }

/** `path` with the query of the request. */
export function withQuery({ query }: NodeExchange, path: string): string {
  return query === '' ? path : `${path}?${query}`
}

/** The content host that the request names; null: none. `X-Forwarded-Host` counts from a trusted proxy only. */
export function hostOf({ host: own }: HostSettings, exchange: NodeExchange): ContentHost | null {
  if (own === null) return null
  const host = exchange.forwarded('x-forwarded-host') ?? exchange.request.headers.host
  return findContentHost(own, host)
}

/** True if the request names the content host or a host below it. The gateway then serves every path. */
export function isContentHost(
  settings: HostSettings & { readonly enabled: boolean },
  exchange: NodeExchange,
): boolean {
  return settings.enabled && hostOf(settings, exchange) !== null
}

/** The origin of a reply on this host; null: the origin of the APIs. */
export function originOf(host: ContentHost | null): ContentOrigin {
  if (host === null) return { kind: 'shared' }
  return host.kind === 'root' ? { kind: 'root', gateway: host.authority } : { kind: 'content' }
}

/**
 * Where the content has its one address; null: here. Throws `no_command` for paths that lead to no content, and
 * `bad_argument`.
 */
export function findLocation(
  settings: HostSettings,
  exchange: NodeExchange,
  host: ContentHost | null,
  query: ReadonlyMap<string, string>,
): string | null {
  const { path } = exchange
  if (host?.kind === 'ipns') throw ipnsNotSupported()
  if (host?.kind === 'root') {
    const label = labelOfRoot(rootOfLabel(host.label))
    if (label === host.label) return null
    return rootUrl(exchange, { label, authority: host.authority }, path)
  }
  const uri = path === '/ipfs/' ? query.get('uri') : undefined
  if (uri !== undefined) return pathOfUri(uri)
  const canonical = canonicalPath(path)
  if (canonical !== null) return withQuery(exchange, canonical)
  if (host === null) return null
  if (!path.startsWith('/ipfs/')) throw new Fault('no_command')
  if (!settings.subdomains) return null
  const [, name = '', rest = ''] = /^\/ipfs\/([^/]*)(.*)$/s.exec(path) ?? []
  const root = parseCid(name)
  if (root === null) {
    const detail = `invalid path ${JSON.stringify(path.slice(0, 200))}: the first segment is no CID`
    throw new Fault('bad_argument', { detail })
  }
  const { authority } = host
  return rootUrl(exchange, { label: labelOfRoot(root), authority }, rest === '' ? '/' : rest)
}

function rootUrl(
  exchange: NodeExchange,
  { label, authority }: { readonly label: string; readonly authority: string },
  path: string,
): string {
  const forwarded = exchange.forwarded('x-forwarded-proto')?.toLowerCase()
  const isSecure = 'encrypted' in exchange.request.socket
  const scheme = forwarded === 'https' || (forwarded !== 'http' && isSecure) ? 'https' : 'http'
  return withQuery(exchange, `${scheme}://${label}.ipfs.${authority}${path}`)
}
