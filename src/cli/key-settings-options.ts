// The options of `keys create` and `keys set` for the settings of an API key. Only settings that are given change.
import type { Command } from 'commander'
import { isProvide, type Provide, provideLevels } from '../base/provide.ts'
import { numberIn, unitNameOf } from '../config/unit.ts'
import type { AccountSettings, KeySettings } from '../access/accounts/key-settings.ts'
import {
  importProfiles,
  isImportProfileName,
  type ImportProfileName,
} from '../codec/ipld/import-profile.ts'
import { UsageError } from './usage-error.ts'

type Lists = {
  readonly allowAddress?: readonly string[]
  readonly allowMethod?: readonly string[]
  readonly allowOrigin?: readonly string[]
  readonly allowUserAgent?: readonly string[]
  readonly allowIp?: readonly string[]
}

// Commander treats null as an absent value.
type Limit = number | 'none'

export type KeySettingsOptions = Lists & {
  readonly secretRequired?: boolean
  readonly jwtRequired?: boolean
  readonly jwtAudience?: readonly string[]
  readonly networks?: readonly string[] | 'all'
  readonly devMethods?: boolean
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
  readonly provide?: Provide
  readonly overrideWithSecret?: boolean
  readonly inspect?: boolean
  readonly inspectBodies?: boolean
  readonly inspectAddresses?: boolean
}

/** `changing`: adds the forms that reset a setting. */
export function addKeySettings(command: Command, changing: boolean): Command {
  command.option('--secret-required', 'require the secret for JSON-RPC calls')
  if (changing) command.option('--no-secret-required', 'accept JSON-RPC calls without the secret')
  command.option('--jwt-required', 'require a JWT of a registered public key for JSON-RPC calls')
  if (changing) command.option('--no-jwt-required', 'accept JSON-RPC calls without a JWT')
  const audience = 'accepted JWT audience, repeatable (infura.io and the host names of the server)'
  command.option('--jwt-audience <name>', audience, addEntry)
  command.option('--networks <names>', 'permitted networks, separated by commas (all)', parseNames)
  command.option(
    '--dev-methods',
    'permit methods that change the embedded chain, such as evm_snapshot',
  )
  if (changing) command.option('--no-dev-methods', 'refuse methods that change the embedded chain')
  // Must come before its negation: else Commander sets a default of true.
  if (changing) command.option('--files', 'permit the IPFS API')
  command.option('--no-files', 'refuse the IPFS API')
  for (const [flag, description] of [...limits, ...byteLimits, ...uploadLimits]) {
    command.option(`${flag} <number>`, description, limitOf(flag))
  }
  command.option(
    '--import-profile <name>',
    `default options of add: ${profileNames} (profile of the server)`,
    parseProfile,
  )
  command.option('--gateway-pinned-only', 'serve only pinned content through the gateway')
  if (changing)
    command.option(
      '--no-gateway-pinned-only',
      'serve all content of the server through the gateway',
    )
  command.option(
    '--provide <level>',
    'narrow which pins of the key are public and announced: none, roots or all (all)',
    parseProvide,
  )
  for (const [flag, description] of lists) {
    command.option(`${flag} <entry>`, description, addEntry)
  }
  command.option('--override-with-secret', 'skip allowlists for requests that carry the secret')
  if (changing) command.option('--no-override-with-secret', 'apply allowlists to all requests')
  for (const [name, enableText, disableText] of inspected) {
    command.option(`--${name}`, enableText)
    if (changing) command.option(`--no-${name}`, disableText)
  }
  return command
}

const profileNames = Object.keys(importProfiles).join(' or ')

const limits = [
  ['--units-per-second', 'maximum units per second (none)'],
  ['--units-per-day', 'maximum units per day (none)'],
  ['--files-reads-per-second', 'maximum read commands of the IPFS API per second (none)'],
  ['--files-writes-per-second', 'maximum write commands of the IPFS API per second (none)'],
] as const

const byteLimits = [
  ['--files-upload-bytes-per-month', 'upload quota of the IPFS API (none)'],
  ['--files-download-bytes-per-month', 'download quota of the IPFS API (none)'],
  ['--files-stored-bytes', 'storage quota (none)'],
] as const

const uploadLimits = [
  ['--files-body-bytes', 'maximum size of one upload (none)'],
  ['--files-uploads', 'maximum concurrent uploads over 128 KiB (setting of the server)'],
] as const

const inspected = [
  [
    'inspect',
    'record the last requests of the key in memory, visible to members',
    'record no requests',
  ],
  ['inspect-bodies', 'record parameters and results', 'record only sizes'],
  ['inspect-addresses', 'record client addresses', 'record no client addresses'],
] as const

const lists = [
  ['--allow-address', 'permitted contract address, repeatable (all)'],
  [
    '--allow-method',
    'permitted method or IPFS command, such as eth_call or pin/add, repeatable (all)',
  ],
  [
    '--allow-origin',
    'permitted origin: https://app.example.com or *.example.com, repeatable (all)',
  ],
  ['--allow-user-agent', 'permitted part of the User-Agent header, repeatable (all)'],
  ['--allow-ip', 'permitted client address or block: 192.0.2.7 or 2001:db8::/32, repeatable (all)'],
] as const

/** The settings that the options change. Throws UsageError. */
export function changesOf(options: KeySettingsOptions): Partial<KeySettings> {
  const changes: { readonly [Name in keyof KeySettings]: KeySettings[Name] | undefined } = {
    secretRequired: options.secretRequired,
    jwtRequired: options.jwtRequired,
    jwtAudiences: listOf('--jwt-audience', options.jwtAudience),
    networks: options.networks === 'all' ? null : options.networks,
    devMethods: options.devMethods,
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
    provide: options.provide,
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
  'filesUploadBytesPerMonth' | 'filesDownloadBytesPerMonth' | 'filesStoredBytes' | 'provide'
>

/** Adds the options for limits of a whole account. */
export function addAccountSettings(command: Command): Command {
  for (const [flag, description] of byteLimits) {
    command.option(`${flag} <number>`, description, limitOf(flag))
  }
  return command.option(
    '--provide <level>',
    'pins that are public and announced on the IPFS network: none, roots or all (none)',
    parseProvide,
  )
}

/** The account settings that the options change. */
export function accountChangesOf(options: AccountSettingsOptions): Partial<AccountSettings> {
  return onlyGiven({ ...quotasOf(options), provide: options.provide })
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
  const provided = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(provided) as Partial<Settings>
}

function listOf(
  flag: string,
  entries: readonly string[] | undefined,
): readonly string[] | undefined {
  if (entries === undefined || !entries.includes('none')) return entries
  if (entries.length === 1) return []
  throw new UsageError(`${flag} cannot combine "none" with other values`)
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
  throw new UsageError(`--networks is "${text}", expected network names, separated by commas`)
}

function parseProfile(text: string): ImportProfileName | 'none' {
  if (text === 'none' || isImportProfileName(text)) return text
  throw new UsageError(`--import-profile is "${text}", expected ${profileNames}, or none`)
}

function parseProvide(text: string): Provide {
  if (isProvide(text)) return text
  throw new UsageError(`--provide is "${text}", expected ${provideLevels.join(', ')}`)
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
