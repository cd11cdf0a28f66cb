// The options that set what an API key may do, for `keys create` and `keys set`. Only what is given is changed.
import type { Command } from 'commander'
import { numberIn, unitNameOf } from '../config/unit.ts'
import type { AccountSettings, KeySettings } from '../accounts/key-settings.ts'
import {
  importProfiles,
  isImportProfileName,
  type ImportProfileName,
} from '../codec/import-profile.ts'
import { UsageError } from './usage-error.ts'

type Lists = {
  readonly allowAddress?: readonly string[]
  readonly allowMethod?: readonly string[]
  readonly allowOrigin?: readonly string[]
  readonly allowUserAgent?: readonly string[]
  readonly allowIp?: readonly string[]
}

// Commander takes null for no value at all.
type Limit = number | 'none'

export type KeySettingsOptions = Lists & {
  readonly secretRequired?: boolean
  readonly jwtRequired?: boolean
  readonly jwtAudience?: readonly string[]
  readonly networks?: readonly string[] | 'all'
  readonly files?: boolean
  readonly unitsPerSecond?: Limit
  readonly unitsPerDay?: Limit
  readonly filesReadsPerSecond?: Limit
  readonly filesWritesPerSecond?: Limit
  readonly filesUploadBytesPerMonth?: Limit
  readonly filesDownloadBytesPerMonth?: Limit
  readonly filesStoredBytes?: Limit
  readonly filesBodyBytes?: Limit
  readonly filesUploads?: Limit
  readonly importProfile?: ImportProfileName | 'none'
  readonly gatewayPinnedOnly?: boolean
  readonly gatewayPublic?: boolean
  readonly overrideWithSecret?: boolean
  readonly inspect?: boolean
  readonly inspectBodies?: boolean
  readonly inspectAddresses?: boolean
}

/** `changing`: with the forms that take a setting back. */
export function addKeySettings(command: Command, changing: boolean): Command {
  command.option('--secret-required', 'JSON-RPC calls must carry the secret too')
  if (changing) command.option('--no-secret-required', 'the key alone is enough for JSON-RPC calls')
  command.option('--jwt-required', 'JSON-RPC calls must carry a JWT of one of its public keys')
  if (changing) command.option('--no-jwt-required', 'they need not carry one')
  const audience = 'what a JWT may name as aud; repeat for more (infura.io and own hosts)'
  command.option('--jwt-audience <name>', audience, addEntry)
  command.option('--networks <names>', 'networks it may use, with commas (all)', parseNames)
  // Before its negation, which else would be a value where nothing is given.
  if (changing) command.option('--files', 'open the file face to it')
  command.option('--no-files', 'close the file face to it')
  for (const [flag, description] of [...limits, ...byteLimits, ...uploadLimits]) {
    command.option(`${flag} <number>`, description, limitOf(flag))
  }
  command.option(
    '--import-profile <name>',
    `how files are added where a request does not say: ${profileNames} (that of the server)`,
    parseProfile,
  )
  command.option('--gateway-pinned-only', 'give its readers what the account has pinned, no more')
  if (changing) command.option('--no-gateway-pinned-only', 'give them what the server gives')
  command.option('--gateway-public', 'open what the account has pinned to readers without a key')
  if (changing) command.option('--no-gateway-public', 'close it to them')
  for (const [flag, description] of lists) {
    command.option(`${flag} <entry>`, description, addEntry)
  }
  command.option('--override-with-secret', 'the --allow lists do not hold for who sends the secret')
  if (changing) command.option('--no-override-with-secret', 'they hold for everybody')
  for (const [name, kept, gone] of inspected) {
    command.option(`--${name}`, kept)
    if (changing) command.option(`--no-${name}`, gone)
  }
  return command
}

const profileNames = Object.keys(importProfiles).join(' or ')

const limits = [
  ['--units-per-second', 'rate limit (none)'],
  ['--units-per-day', 'daily limit (none)'],
  ['--files-reads-per-second', 'reading file commands (none)'],
  ['--files-writes-per-second', 'writing file commands (none)'],
] as const

const byteLimits = [
  ['--files-upload-bytes-per-month', 'bytes it may send to the file face (none)'],
  ['--files-download-bytes-per-month', 'bytes it may take from there (none)'],
  ['--files-stored-bytes', 'bytes that may be kept when it adds files (none)'],
] as const

const uploadLimits = [
  ['--files-body-bytes', 'longest body of one upload (none)'],
  ['--files-uploads', 'uploads of more than 128 KiB at a time (as the server is set)'],
] as const

const inspected = [
  ['inspect', 'keep its last requests in memory, for members to see', 'keep none of them'],
  ['inspect-bodies', 'with params and results', 'without them: sizes alone'],
  ['inspect-addresses', 'with the address each came from', 'without it'],
] as const

const lists = [
  ['--allow-address', 'contract that calls may be about; repeat for more (all)'],
  ['--allow-method', 'method or file command, such as eth_call or pin/add (all)'],
  ['--allow-origin', 'web page that may call: https://app.example.com, *.example.com (all)'],
  ['--allow-user-agent', 'part of the User-Agent header (all)'],
  ['--allow-ip', 'address or block that may call: 192.0.2.7, 2001:db8::/32 (all)'],
] as const

/** What the options change. Throws UsageError. */
export function changesOf(options: KeySettingsOptions): Partial<KeySettings> {
  const changes: { readonly [Name in keyof KeySettings]: KeySettings[Name] | undefined } = {
    secretRequired: options.secretRequired,
    jwtRequired: options.jwtRequired,
    jwtAudiences: listOf('--jwt-audience', options.jwtAudience),
    networks: options.networks === 'all' ? null : options.networks,
    files: options.files,
    unitsPerSecond: numberOf(options.unitsPerSecond),
    unitsPerDay: numberOf(options.unitsPerDay),
    filesReadsPerSecond: numberOf(options.filesReadsPerSecond),
    filesWritesPerSecond: numberOf(options.filesWritesPerSecond),
    ...quotasOf(options),
    filesBodyBytes: numberOf(options.filesBodyBytes),
    filesUploads: numberOf(options.filesUploads),
    importProfile: options.importProfile === 'none' ? null : options.importProfile,
    gatewayPinnedOnly: options.gatewayPinnedOnly,
    gatewayPublic: options.gatewayPublic,
    allowAddresses: listOf('--allow-address', options.allowAddress),
    allowMethods: listOf('--allow-method', options.allowMethod),
    allowOrigins: listOf('--allow-origin', options.allowOrigin),
    allowUserAgents: listOf('--allow-user-agent', options.allowUserAgent),
    allowIps: listOf('--allow-ip', options.allowIp),
    overrideWithSecret: options.overrideWithSecret,
    inspect: options.inspect,
    inspectBodies: options.inspectBodies,
    inspectAddresses: options.inspectAddresses,
  }
  return onlyGiven(changes)
}

export type AccountSettingsOptions = Pick<
  KeySettingsOptions,
  'filesUploadBytesPerMonth' | 'filesDownloadBytesPerMonth' | 'filesStoredBytes'
>

/** The limits that an account may have as a whole. */
export function addAccountSettings(command: Command): Command {
  for (const [flag, description] of byteLimits) {
    command.option(`${flag} <number>`, description, limitOf(flag))
  }
  return command
}

/** What the options change. */
export function accountChangesOf(options: AccountSettingsOptions): Partial<AccountSettings> {
  return onlyGiven(quotasOf(options))
}

function quotasOf(options: AccountSettingsOptions) {
  return {
    filesUploadBytesPerMonth: numberOf(options.filesUploadBytesPerMonth),
    filesDownloadBytesPerMonth: numberOf(options.filesDownloadBytesPerMonth),
    filesStoredBytes: numberOf(options.filesStoredBytes),
  }
}

function onlyGiven<Settings extends object>(changes: {
  readonly [Name in keyof Settings]: Settings[Name] | undefined
}): Partial<Settings> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<Settings>
}

function listOf(
  flag: string,
  entries: readonly string[] | undefined,
): readonly string[] | undefined {
  if (entries === undefined || !entries.includes('none')) return entries
  if (entries.length === 1) return []
  throw new UsageError(`${flag} is "none" and something else too`)
}

function addEntry(entry: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), entry]
}

function numberOf(limit: Limit | undefined): number | null | undefined {
  return limit === 'none' ? null : limit
}

function parseNames(text: string): readonly string[] | 'all' {
  if (text === 'all') return text
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(name))) return names
  throw new UsageError(`--networks is "${text}", expected network names with commas between`)
}

function parseProfile(text: string): ImportProfileName | 'none' {
  if (text === 'none' || isImportProfileName(text)) return text
  throw new UsageError(`--import-profile is "${text}", expected ${profileNames}, or none`)
}

function limitOf(flag: string): (text: string) => Limit {
  return (text) => {
    if (text === 'none') return text
    if (/^\d{1,15}$/.test(text)) return Number(text)
    const name = flag.replaceAll(/-+([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const unit = unitNameOf(name)
    const meant = numberIn(name, text)
    throw new UsageError(
      `${flag} is "${text}", expected a whole number${unit === null ? '' : ` of ${unit}`}${meant === null ? ', or none' : `: ${meant}`}`,
    )
  }
}
