// Allowlists of an ApiKey, compiled once when the key is read. As with Infura keys, a request must match all types (AND) and one
// entry of each type (OR); an empty type allows all. A refusal names the type, never its entries.
import { domainToASCII } from 'node:url'
import { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import { createIpList, parseIpRule } from '../../base/addresses.ts'
import type { KeySettings } from './key-settings.ts'

export type OriginRule = {
  /** Null: any. */
  readonly scheme: string | null
  /** Lower case, ASCII, without a trailing dot. */
  readonly host: string
  /** Matches hosts below `host`, at any depth, but not `host` itself. */
  readonly below: boolean
  /** Null: the scheme's default port. */
  readonly port: number | null
}

type Origin = { readonly scheme: string; readonly host: string; readonly port: number | null }

const schemeForm = '[a-z][a-z0-9+.-]*'
const hostForm = String.raw`\[[0-9a-f:.]+\]|[^\s/?#@:%[\]\\*,]+`
const entryForm = new RegExp(
  `^(?:(${schemeForm})://)?(\\*\\.)?(${hostForm})(?::([0-9]{1,5}))?/?$`,
  'u',
)
const originForm = new RegExp(`^(${schemeForm})://(${hostForm})(?::([0-9]{1,5}))?$`, 'u')
const asciiHost = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/
const portMax = 65_535

/** Null for a value that no browser sends (`*`, a path, a user), and for the origin `null`, which any page can send. */
export function parseOriginRule(entry: string): OriginRule | null {
  const [, scheme = null, star, host = '', port] = entryForm.exec(entry.trim().toLowerCase()) ?? []
  const ascii = withoutDot(domainToASCII(host))
  if (!asciiHost.test(ascii) || (scheme === null && ascii === 'null')) return null
  if (star !== undefined && ascii.startsWith('[')) return null
  if (Number(port ?? 0) > portMax) return null
  return { scheme, host: ascii, below: star !== undefined, port: portOf(scheme, port) }
}

/** Null for `null` and for text that is not an origin. */
function parseOrigin(header: string): Origin | null {
  const [, scheme, host = '', port] = originForm.exec(header.trim().toLowerCase()) ?? []
  if (scheme === undefined) return null
  return { scheme, host: withoutDot(host), port: portOf(scheme, port) }
}

function isOriginOf(rule: OriginRule, { scheme, host, port }: Origin): boolean {
  if (rule.scheme !== null && rule.scheme !== scheme) return false
  // A rule without a scheme contains `example.com:443`; browsers omit the default port.
  const wanted = rule.scheme === null ? portOf(scheme, rule.port?.toString()) : rule.port
  if (wanted !== port) return false
  return rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host
}

/** Null for the scheme's default port. */
function portOf(scheme: string | null, port: string | undefined): number | null {
  if (port === undefined) return null
  const number = Number(port)
  const usual = scheme === 'https' ? 443 : scheme === 'http' ? 80 : null
  return number === usual ? null : number
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** Origin of a request; undefined: the header was not sent. */
export type Origins = {
  readonly address?: string
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
}

/** Null in a member: this type allows all. */
export type Allowlists = {
  /** Lower-case hex without 0x. */
  readonly addresses: ReadonlySet<string> | null
  readonly methods: ReadonlySet<string> | null
  readonly origins: readonly OriginRule[] | null
  /** Parts of a User-Agent, case-sensitive. */
  readonly userAgents: readonly string[] | null
  readonly isIpAllowed: ((address: string) => boolean) | null
}

/** The allowlists that an owner, or the signer of a JWT, can set. */
export type ListSettings = Pick<
  KeySettings,
  'allowAddresses' | 'allowMethods' | 'allowOrigins' | 'allowUserAgents' | 'allowIps'
>

/** Null if no allowlist is set, so that a key without allowlists costs one comparison. */
export function compileAllowlists(settings: ListSettings): Allowlists | null {
  const { allowAddresses, allowMethods, allowOrigins, allowUserAgents, allowIps } = settings
  const all = [allowAddresses, allowMethods, allowOrigins, allowUserAgents, allowIps]
  if (all.every((list) => list.length === 0)) return null
  return {
    addresses: setOf(allowAddresses.map((address) => address.slice(2).toLowerCase())),
    methods: setOf(allowMethods),
    origins: allowOrigins.length === 0 ? null : present(allowOrigins.map(parseOriginRule)),
    userAgents: allowUserAgents.length === 0 ? null : allowUserAgents,
    isIpAllowed: allowIps.length === 0 ? null : createIpList(present(allowIps.map(parseIpRule))),
  }
}

/** Checks the headers, once per request. Throws `refused_by_setting`: ip, origin, user_agent. */
export function authorizeOrigins(
  { isIpAllowed, origins, userAgents }: Allowlists,
  { address = '', origin, userAgent }: Origins,
): void {
  if (isIpAllowed !== null && !isIpAllowed(address)) throw refusal('ip')
  if (origins !== null) {
    const sent = origin === undefined ? null : parseOrigin(origin)
    if (sent === null || !origins.some((rule) => isOriginOf(rule, sent))) throw refusal('origin')
  }
  if (userAgents !== null && !userAgents.some((part) => userAgent?.includes(part))) {
    throw refusal('user_agent')
  }
}

/** `name`: a JSON-RPC method or the path of an IPFS command. Throws `refused_by_setting`: method. */
export function authorizeMethod({ methods }: Allowlists, name: string): void {
  if (methods !== null && !methods.has(name)) throw refusal('method')
}

/**
 * Every account that the call names must be listed; a call that names none is refused. Throws `refused_by_setting`: address.
 */
export function authorizeAddresses({ addresses }: Allowlists, named: readonly Uint8Array[]): void {
  if (addresses === null) return
  if (named.length > 0 && named.every((address) => addresses.has(toBareHex(address)))) return
  throw refusal('address')
}

function refusal(reason: 'ip' | 'origin' | 'user_agent' | 'method' | 'address'): Fault {
  return new Fault('refused_by_setting', { data: { reason } })
}

function setOf(entries: readonly string[]): ReadonlySet<string> | null {
  return entries.length === 0 ? null : new Set(entries)
}

function present<T>(rules: readonly (T | null)[]): readonly T[] {
  return rules.filter((rule) => rule !== null)
}
