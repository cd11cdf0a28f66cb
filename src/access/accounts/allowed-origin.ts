// One entry of an origin list, and an Origin header against it: scheme optional, `*.` any subdomain, a port
// only where the origin has one. Host names are compared as browsers send them (RFC 6454, in ASCII).
// Tested by src/access/accounts/allowlists.test.ts
import { domainToASCII } from 'node:url'

export type OriginRule = {
  /** Null: any. */
  readonly scheme: string | null
  /** Lower case, ASCII, without a dot at the end. */
  readonly host: string
  /** Hosts below `host`, at any depth, and not `host` itself. */
  readonly below: boolean
  /** Null: the port that the scheme means. */
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

/** Null for a value that no browser sends: `*`, a path, a user; and for the origin `null`, which any page can send. */
export function parseOriginRule(entry: string): OriginRule | null {
  const [, scheme = null, star, host = '', port] = entryForm.exec(entry.trim().toLowerCase()) ?? []
  const ascii = withoutDot(domainToASCII(host))
  if (!asciiHost.test(ascii) || (scheme === null && ascii === 'null')) return null
  if (star !== undefined && ascii.startsWith('[')) return null
  if (Number(port ?? 0) > portMax) return null
  return { scheme, host: ascii, below: star !== undefined, port: portOf(scheme, port) }
}

/** Null for `null` and for everything that is no origin. */
export function parseOrigin(header: string): Origin | null {
  const [, scheme, host = '', port] = originForm.exec(header.trim().toLowerCase()) ?? []
  if (scheme === undefined) return null
  return { scheme, host: withoutDot(host), port: portOf(scheme, port) }
}

export function isOriginOf(rule: OriginRule, { scheme, host, port }: Origin): boolean {
  if (rule.scheme !== null && rule.scheme !== scheme) return false
  // A rule without a scheme contains `example.com:443`; browsers omit the default port.
  const wanted = rule.scheme === null ? portOf(scheme, rule.port?.toString()) : rule.port
  if (wanted !== port) return false
  return rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host
}

/** Null where it is the scheme's own. */
function portOf(scheme: string | null, port: string | undefined): number | null {
  if (port === undefined) return null
  const number = Number(port)
  const usual = scheme === 'https' ? 443 : scheme === 'http' ? 80 : null
  return number === usual ? null : number
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}
