// Decides whether the server serves only this machine. Then browsers resolve the gateway's content host to loopback, and it serves
// pinned content without a key.
// Tested by src/server/private-server.test.ts
import { isLoopback } from '../base/addresses.ts'
import type { Config } from '../config/settings.ts'

export type ListenerSettings = {
  readonly http: Pick<Config['http'], 'host' | 'trustedProxies'>
  readonly admin: Pick<Config['admin'], 'hosts'>
}

/**
 * True for a server on loopback. It counts as reachable from outside if its settings name a proxy, or a host name other than those
 * of loopback.
 */
export function isPrivateServer({ http, admin }: ListenerSettings): boolean {
  const names = admin.hosts?.split(',').map((name) => name.trim()) ?? []
  return http.trustedProxies === null && [http.host, ...names].every(isLoopback)
}

/** Settings of the gateway, with `auto` resolved. */
export type GatewayRules = {
  readonly enabled: boolean
  readonly public: boolean
  readonly deserialized: boolean
  /** Null: none. */
  readonly host: string | null
  readonly subdomains: boolean
  /** DNS names whose hosts are DNSLink sites. */
  readonly sites: readonly string[]
  /** Programs and users of this machine can read pinned content on `host` without a key. */
  readonly local: boolean
  /** Contact for denied content; null: none. */
  readonly abuseContact: string | null
}

/** RFC 6761 6.3: browsers resolve all names below `localhost` to loopback. */
export const localContentHost = 'content.localhost'

export function gatewayRulesOf({
  gateway,
  files,
  ...reach
}: ListenerSettings & {
  readonly gateway: Pick<
    Config['gateway'],
    'enabled' | 'public' | 'deserialized' | 'host' | 'subdomains' | 'dnslink' | 'abuseContact'
  >
  readonly files: Pick<Config['files'], 'isolation'>
}): GatewayRules {
  const { enabled, public: isPublic, deserialized, abuseContact } = gateway
  const isPrivate = isPrivateServer(reach)
  const host = gateway.host === 'auto' ? (isPrivate ? localContentHost : null) : gateway.host
  const isLocalName = host !== null && /(^|\.)localhost$/.test(host)
  return {
    enabled,
    public: isPublic,
    deserialized,
    host,
    subdomains: gateway.subdomains === 'auto' ? isLocalName : gateway.subdomains === 'on',
    // Isolated accounts do not trust each other, so they get no access without a key.
    local: isPrivate && isLocalName && files.isolation !== 'own',
    sites: dnsLinkNames(gateway.dnslink).filter((name) => name !== '*'),
    abuseContact,
  }
}

/** DNS names in `gateway.dnslink`; `*` matches any name. */
export function dnsLinkNames(setting: string | null): readonly string[] {
  return setting === null ? [] : setting.split(',').map((name) => name.trim())
}
