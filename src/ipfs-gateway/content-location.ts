// The content host of a request, and the canonical URL of its content: the origin of its root CID and the canonical path. Rules:
// https://specs.ipfs.tech/http-gateways/subdomain-gateway/
// Tested by src/ipfs-gateway/subdomains.test.ts
import { decodeOrSame } from '../base/decode-or-same.ts'
import { Fault } from '../base/fault.ts'
import { parseCid } from '../codec/ipld/cid.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import {
  type ContentHost,
  canonicalName,
  findContentHost,
  labelOfName,
  labelOfRoot,
  nameOfLabel,
  pathOfUri,
  rootOfLabel,
} from './content-host.ts'
import { canonicalPath } from './ipfs-gateway-request.ts'
import type { ContentOrigin } from './path-operation.ts'

type HostSettings = {
  readonly host: string | null
  readonly subdomains: boolean
  readonly sites: readonly string[]
}

/** `path` with the query of the request. */
export function withQuery({ query }: NodeExchange, path: string): string {
  return query === '' ? path : `${path}?${query}`
}

/** The content host of the request; null: none. `X-Forwarded-Host` is used only from a trusted proxy. */
export function hostOf(
  { host: contentHost, sites }: HostSettings,
  exchange: NodeExchange,
): ContentHost | null {
  if (contentHost === null && sites.length === 0) return null
  const host = exchange.forwarded('x-forwarded-host') ?? exchange.request.headers.host
  return findContentHost(contentHost, sites, host)
}

/** True if the request is for the content host or a host below it. The gateway then serves every path. */
export function isContentHost(
  settings: HostSettings & { readonly enabled: boolean },
  exchange: NodeExchange,
): boolean {
  return settings.enabled && hostOf(settings, exchange) !== null
}

/** The origin of a reply on this host; null: the origin of the APIs. */
export function originOf(host: ContentHost | null): ContentOrigin {
  if (host === null) return { kind: 'shared' }
  if (host.kind === 'paths') return { kind: 'content' }
  const { kind, authority } = host
  return { kind: 'root', gateway: kind === 'site' ? null : authority, authority }
}

/** Path prefix of Delegated Routing: returns the record of a name, whatever the Accept header. */
export const routingPath = '/routing/v1/ipns/'

function routedPath(path: string): string {
  return `/ipns/${path.slice(routingPath.length)}`
}

/** The content path of the request: on the host of a root or a name, that is prepended. Throws `bad_argument`. */
export function contentPathOf(host: ContentHost | null, path: string): string {
  if (host === null) return path.startsWith(routingPath) ? routedPath(path) : path
  switch (host.kind) {
    case 'root':
      return `/ipfs/${host.label}${path}`
    case 'ipns':
      return `/ipns/${nameOfLabel(host.label)}${path}`
    case 'site':
      return `/ipns/${host.name}${path}`
    case 'paths':
      return path
  }
}

/**
 * The canonical URL of the content, as a redirect; null: the request already uses it. Throws `no_command` for paths that are not
 * content paths, and `bad_argument`.
 */
export function findLocation(
  settings: HostSettings,
  exchange: NodeExchange,
  host: ContentHost | null,
  query: ReadonlyMap<string, string>,
): Location | null {
  const { path } = exchange
  if (host !== null && host.kind !== 'paths') {
    const rootHost = canonicalHost(host)
    return rootHost === null ? null : moved(rootUrl(exchange, rootHost, path))
  }
  const uri = path === '/ipfs/' || path === '/ipns/' ? query.get('uri') : undefined
  if (uri !== undefined) return moved(pathOfUri(uri))
  const canonical = canonicalPath(path)
  if (canonical !== null) return moved(withQuery(exchange, canonical))
  const [, namespace = '', name = '', subpath = ''] =
    /^\/(ipfs|ipns)\/([^/]*)(.*)$/s.exec(path) ?? []
  if (host !== null && namespace === '') throw new Fault('no_command')
  if (namespace === 'ipns') {
    const text = canonicalName(decodeOrSame(name))
    if (host === null || !settings.subdomains) {
      // Not permanent: Kubo answers 302.
      if (text === name) return null
      return { url: withQuery(exchange, `/ipns/${text}${subpath}`), status: 302 }
    }
    const label = labelOfName(text)
    return moved(rootUrl(exchange, { ...host, namespace, label }, subpath === '' ? '/' : subpath))
  }
  if (host === null || !settings.subdomains) return null
  const root = parseCid(name)
  if (root === null) {
    const detail = `invalid path ${JSON.stringify(path.slice(0, 200))}: the first segment is no CID`
    throw new Fault('bad_argument', { detail })
  }
  const label = labelOfRoot(root)
  return moved(rootUrl(exchange, { ...host, namespace, label }, subpath === '' ? '/' : subpath))
}

/** `url`: with or without a host. */
export type Location = { readonly url: string; readonly status: 301 | 302 }

function moved(url: string): Location {
  return { url, status: 301 }
}

type RootHost = { readonly namespace: string; readonly label: string; readonly authority: string }

/** The host with the canonical label; null: the request uses it. A DNS name may also consist of several labels. */
function canonicalHost(host: Exclude<ContentHost, { readonly kind: 'paths' }>): RootHost | null {
  if (host.kind === 'site') return null
  const { authority } = host
  if (host.kind === 'root') {
    const label = labelOfRoot(rootOfLabel(host.label))
    return label === host.label ? null : { namespace: 'ipfs', label, authority }
  }
  const name = nameOfLabel(host.label)
  const isCanonical = name === host.label || labelOfName(name) === host.label
  return isCanonical ? null : { namespace: 'ipns', label: labelOfName(name), authority }
}

function rootUrl(
  exchange: NodeExchange,
  { namespace, label, authority }: RootHost,
  path: string,
): string {
  const forwarded = exchange.forwarded('x-forwarded-proto')?.toLowerCase()
  const isSecure = 'encrypted' in exchange.request.socket
  const scheme = forwarded === 'https' || (forwarded !== 'http' && isSecure) ? 'https' : 'http'
  return withQuery(exchange, `${scheme}://${label}.${namespace}.${authority}${path}`)
}
