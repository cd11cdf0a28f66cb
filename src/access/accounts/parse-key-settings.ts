// Parses KeySettings and AccountSettings from stored JSON and from owners' input. Validates each value; absent ones keep their
// value.
// Tested by src/access/accounts/accounts.test.ts
import { isProvide, type Provide, provideLevels } from '../../base/provide.ts'
import { parseIpRule } from '../../base/addresses.ts'
import { parseOriginRule } from './allowlists.ts'
import { AccountsRefusal } from './account-rules.ts'
import {
  type ImportProfileName,
  importProfiles,
  isImportProfileName,
} from '../../codec/ipld/import-profile.ts'
import {
  type AccountSettings,
  type KeySettings,
  defaultAccountSettings,
  defaultKeySettings,
} from './key-settings.ts'

const entriesMax = 30
const entryCharsMax = 256

type Form = { readonly isGood: (entry: string) => boolean; readonly expected: string }

export const allowlistForms = {
  allowAddresses: {
    isGood: (entry) => /^0x[0-9a-fA-F]{40}$/.test(entry),
    expected: 'a contract address, 0x and 40 hex digits',
  },
  allowMethods: {
    isGood: (entry) => /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/.test(entry),
    expected: 'a method (eth_call) or a file command (pin/add)',
  },
  allowOrigins: {
    isGood: (entry) => parseOriginRule(entry) !== null,
    expected: 'an origin such as https://app.example.com, *.example.com or localhost:3000',
  },
  allowUserAgents: {
    // Only characters that a header can contain.
    isGood: (entry) => /^[\x20-\x7e]+$/.test(entry) && entry.trim() !== '',
    expected: 'a part of a user agent, in ASCII',
  },
  allowIps: {
    isGood: (entry) => parseIpRule(entry) !== null,
    expected: 'an IP address or a block such as 192.0.2.0/24',
  },
  jwtAudiences: {
    isGood: (entry) => /^[\x21-\x7e]+$/.test(entry),
    expected: 'an audience such as app.example.com, in ASCII without spaces',
  },
} as const satisfies Readonly<Record<string, Form>>

/** At most 30 entries of at most 256 characters. Throws AccountsRefusal `bad_setting`. */
export function parseAllowlist(
  name: keyof typeof allowlistForms,
  value: unknown,
): readonly string[] {
  if (!Array.isArray(value) || value.length > entriesMax) {
    throw entryRefusal(
      `settings.${name}`,
      `${name} must be a list of at most ${entriesMax} entries`,
    )
  }
  const { isGood, expected } = allowlistForms[name]
  return value.map((entry: unknown, at) => {
    if (typeof entry === 'string' && entry.length <= entryCharsMax && isGood(entry)) return entry
    const shown = JSON.stringify(String(entry).slice(0, 80))
    throw entryRefusal(
      `settings.${name}.${at}`,
      `${name}: ${shown} is not ${expected}, in at most ${entryCharsMax} characters`,
    )
  })
}

function entryRefusal(field: string, message: string): AccountsRefusal {
  return new AccountsRefusal('bad_setting', message, { field })
}

const networksMax = 100
const limitMax = 1e12

/** Returns `settings` with `changes` applied. Throws AccountsRefusal `bad_setting` that names the setting. */
export function changeKeySettings(
  settings: KeySettings,
  changes: Readonly<Record<string, unknown>>,
): KeySettings {
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(defaultKeySettings, name))
  if (unknown !== undefined) {
    throw new AccountsRefusal('bad_setting', `unknown key setting "${unknown.slice(0, 80)}"`)
  }
  const merged: Readonly<Record<keyof KeySettings, unknown>> = { ...settings, ...changes }
  return {
    secretRequired: flag('secretRequired', merged.secretRequired),
    jwtRequired: flag('jwtRequired', merged.jwtRequired),
    jwtAudiences: parseAllowlist('jwtAudiences', merged.jwtAudiences),
    networks: names('networks', merged.networks),
    devMethods: flag('devMethods', merged.devMethods),
    files: flag('files', merged.files),
    unitsPerSecond: limit('unitsPerSecond', merged.unitsPerSecond),
    unitsPerDay: limit('unitsPerDay', merged.unitsPerDay),
    filesReadsPerSecond: limit('filesReadsPerSecond', merged.filesReadsPerSecond),
    filesWritesPerSecond: limit('filesWritesPerSecond', merged.filesWritesPerSecond),
    ...bytesOf(merged),
    filesBodyBytes: bytes('filesBodyBytes', merged.filesBodyBytes),
    filesUploads: limit('filesUploads', merged.filesUploads),
    importProfile: profile('importProfile', merged.importProfile),
    gatewayPinnedOnly: flag('gatewayPinnedOnly', merged.gatewayPinnedOnly),
    provide: provideOf(merged.provide),
    allowAddresses: parseAllowlist('allowAddresses', merged.allowAddresses),
    allowMethods: parseAllowlist('allowMethods', merged.allowMethods),
    allowOrigins: parseAllowlist('allowOrigins', merged.allowOrigins),
    allowUserAgents: parseAllowlist('allowUserAgents', merged.allowUserAgents),
    allowIps: parseAllowlist('allowIps', merged.allowIps),
    overrideWithSecret: flag('overrideWithSecret', merged.overrideWithSecret),
    inspect: flag('inspect', merged.inspect),
    inspectBodies: flag('inspectBodies', merged.inspectBodies),
    inspectAddresses: flag('inspectAddresses', merged.inspectAddresses),
  }
}

/** As `changeKeySettings`, for an account. */
export function changeAccountSettings(
  settings: AccountSettings,
  changes: Readonly<Record<string, unknown>>,
): AccountSettings {
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(defaultAccountSettings, name))
  if (unknown !== undefined) {
    throw new AccountsRefusal('bad_setting', `unknown account setting "${unknown.slice(0, 80)}"`)
  }
  const merged: Readonly<Record<keyof AccountSettings, unknown>> = { ...settings, ...changes }
  return { ...bytesOf(merged), provide: provideOf(merged.provide) }
}

/** Parses settings as stored in `account.settings`. */
export function parseAccountSettings(json: string): AccountSettings {
  return changeAccountSettings(defaultAccountSettings, JSON.parse(json) as Record<string, unknown>)
}

/** Parses settings as stored in `api_key.settings`. */
export function parseKeySettings(json: string): KeySettings {
  return changeKeySettings(defaultKeySettings, JSON.parse(json) as Record<string, unknown>)
}

function flag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw refusal(name, 'true or false')
}

function provideOf(value: unknown): Provide {
  if (isProvide(value)) return value
  throw refusal('provide', `one of ${provideLevels.join(', ')}`)
}

type ByteLimits = Omit<AccountSettings, 'provide'>

function bytesOf(merged: Readonly<Record<keyof ByteLimits, unknown>>): ByteLimits {
  return {
    filesUploadBytesPerMonth: bytes('filesUploadBytesPerMonth', merged.filesUploadBytesPerMonth),
    filesDownloadBytesPerMonth: bytes(
      'filesDownloadBytesPerMonth',
      merged.filesDownloadBytesPerMonth,
    ),
    filesStoredBytes: bytes('filesStoredBytes', merged.filesStoredBytes),
  }
}

function bytes(name: string, value: unknown): number | null {
  if (value === null || (Number.isSafeInteger(value) && (value as number) >= 0)) {
    return value as number | null
  }
  throw refusal(name, 'a whole number of bytes from 0, or null for no limit')
}

function limit(name: string, value: unknown): number | null {
  if (value === null) return null
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= limitMax) {
    return value as number
  }
  throw refusal(name, 'a whole number from 0, or null for no limit')
}

function profile(name: string, value: unknown): ImportProfileName | null {
  if (value === null || isImportProfileName(value)) return value
  const known = Object.keys(importProfiles).join(', ')
  throw refusal(name, `one of ${known}, or null for that of the server`)
}

function names(name: string, value: unknown): readonly string[] | null {
  if (value === null) return null
  const good =
    Array.isArray(value) &&
    value.length <= networksMax &&
    value.every((each) => typeof each === 'string' && each.length > 0 && each.length <= 64)
  if (good) return value as readonly string[]
  throw refusal(name, `a list of at most ${networksMax} names, or null for all`)
}

function refusal(name: string, expected: string): AccountsRefusal {
  const field = `settings.${name}`
  return new AccountsRefusal('bad_setting', `${name} must be ${expected}`, { field })
}
