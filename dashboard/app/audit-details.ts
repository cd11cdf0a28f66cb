// The values of an audit record in words: old and new value of each member. Pure.
// Tested by dashboard/app/audit-sentence.test.ts
import type { AuditRecord } from './audit-sentence.ts'
import { formatBytes, formatDay, formatNumber } from './format.ts'

/** Null: not recorded before (`from`), or removed (`to`). */
export type AuditDetail = {
  readonly name: string
  readonly from: string | null
  readonly to: string | null
}

type Names = ReadonlyMap<string, string>
type Values = Readonly<Record<string, unknown>>

/** Titles of members of a record. */
export const fields: Readonly<Record<string, string>> = {
  unitsPerDay: 'Daily limit',
  unitsPerSecond: 'Rate',
  filesReadsPerSecond: 'Reads per second',
  filesWritesPerSecond: 'Writes per second',
  filesUploadBytesPerMonth: 'Upload per month',
  filesDownloadBytesPerMonth: 'Download per month',
  filesStoredBytes: 'Stored',
  filesBodyBytes: 'Size of a request',
  filesUploads: 'Uploads at a time',
  gatewayPinnedOnly: 'Gateway serves pins only',
  importProfile: 'Import profile',
  overrideWithSecret: 'Override limits with the secret',
  devMethods: 'Development methods',
  expires: 'Expires',
  networks: 'Networks',
  secretRequired: 'Secret required',
  jwtRequired: 'JWT required',
  jwtAudiences: 'JWT audiences',
  files: 'IPFS API',
  inspect: 'Recording',
  inspectBodies: 'Params and results',
  inspectAddresses: 'Caller addresses',
  allowOrigins: 'Allowed sites',
  allowMethods: 'Allowed methods',
  allowIps: 'Allowed addresses',
  allowAddresses: 'Allowed contracts',
  allowUserAgents: 'Allowed user agents',
  hasCard: 'Card',
  provide: 'Readers',
  role: 'Role',
  email: 'Email',
  emails: 'Emails',
  webhooks: 'Webhooks',
  rules: 'Alert rules',
  name: 'Name',
  isOperator: 'Operator',
  disabled: 'Disabled',
  hasTotp: 'Authenticator',
  passkeys: 'Passkeys',
  issuer: 'OpenID provider',
  chainId: 'Chain',
  isDefault: 'Default network',
  verify: 'Verification',
  heads: 'Heads',
  allow: 'Forwarded methods',
  deny: 'Refused methods',
  overlapMs: 'The old one works for',
  cut: 'Values',
}

/** Words for null, where it does not mean "no limit". */
const nulls: Readonly<Record<string, string>> = {
  expires: 'never',
  networks: 'all',
  revoked: 'no',
  importProfile: 'default',
  issuer: 'none',
  allow: 'all',
}

/** Words for an empty list, where it does not mean "all". */
const noEntries: Readonly<Record<string, string>> = {
  networks: 'none',
  emails: 'none',
  webhooks: 'none',
  rules: 'none',
  allow: 'none',
  deny: 'none',
  verify: 'default',
}

const detailsMax = 8

/** Returns at most eight. */
export function detailsOf(
  { action, changes, previous }: Pick<AuditRecord, 'action' | 'changes' | 'previous'>,
  names: Names,
): readonly AuditDetail[] {
  const [was, is] = [flat(previous ?? {}), flat(changes)]
  return Object.keys({ ...was, ...is })
    .filter((name) => isShown(action, name, is[name] ?? was[name]))
    .flatMap((name) =>
      name === 'upstreams'
        ? upstreamDetails(was[name], is[name])
        : [
            {
              name: fields[name] ?? sentence(name),
              from: name in was ? valueOf(name, was[name], names) : null,
              to: name in is ? valueOf(name, is[name], names) : null,
            },
          ],
    )
    .slice(0, detailsMax)
}

/** Records of earlier versions nest the settings of a key in a member. */
function flat({ settings, ...values }: Values): Values {
  return isObject(settings)
    ? { ...values, ...settings }
    : { ...values, ...(settings === undefined ? {} : { settings }) }
}

/** False: the sentence already contains it, or it is empty. */
function isShown(action: string, name: string, value: unknown): boolean {
  if (action === 'revokeKey' && name === 'revoked') return false
  return value !== '' && value !== undefined
}

/** One entry per upstream that was added, changed or removed. */
function upstreamDetails(was: unknown, is: unknown): readonly AuditDetail[] {
  const [before, after] = [upstreamsOf(was), upstreamsOf(is)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({
      name: `Upstream ${name}`,
      from: before.get(name) ?? null,
      to: after.get(name) ?? null,
    }))
}

function upstreamsOf(list: unknown): ReadonlyMap<string, string> {
  const entries = Array.isArray(list) ? list.filter(isObject) : []
  return new Map(
    entries.map(({ upstream, url, wsUrl, trusted, headers, requestsPerSecond }) => {
      const headerNames = Array.isArray(headers) ? headers.map(String) : []
      const parts = [
        textOf(url),
        typeof wsUrl === 'string' ? wsUrl : '',
        trusted === true ? 'trusted' : '',
        headerNames.length === 0 ? '' : `header ${headerNames.join(', ')}`,
        typeof requestsPerSecond === 'number'
          ? `${formatNumber(requestsPerSecond)} per second`
          : '',
      ]
      return [textOf(upstream), parts.filter((part) => part !== '').join(', ')]
    }),
  )
}

function valueOf(name: string, value: unknown, names: Names): string {
  if (name === 'cut') return 'too long to record'
  if (value === null) return nulls[name] ?? 'no limit'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') {
    // Compared with 1970, so that the year is always shown.
    if (name === 'expires') return formatDay(value, 0)
    if (name.endsWith('Ms')) return durationOf(value)
    if (name.includes('Bytes')) return formatBytes(value)
    return `${formatNumber(value)}${name.startsWith('units') ? ' units' : ''}`
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? (noEntries[name] ?? 'all') : value.map(textOf).join(', ')
  }
  return typeof value === 'string' ? (names.get(value) ?? value) : textOf(value)
}

function textOf(value: unknown): string {
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .map(([name, inner]) => `${sentence(name).toLowerCase()} ${textOf(inner)}`)
    .join(', ')
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const hourMs = 3_600_000

function durationOf(ms: number): string {
  if (ms === 0) return 'no longer'
  return ms >= 24 * hourMs ? `${ms / (24 * hourMs)} d` : `${ms / hourMs} h`
}

/** `chainId` becomes `Chain id`. */
function sentence(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
