// Parses KeySettings and AccountSettings from stored JSON and from owners. Validates each value; absent ones are inherited.
// Tested by src/access/accounts/accounts.test.ts
import {
  importProfiles,
  isImportProfileName,
  type ImportProfileName,
} from '../../codec/ipld/import-profile.ts'
import { AccountsRefusal } from './accounts-refusal.ts'
import {
  type AccountSettings,
  defaultAccountSettings,
  defaultKeySettings,
  type KeySettings,
} from './key-settings.ts'
import { parseAllowlist } from './parse-allowlist.ts'

const networksMax = 100
const limitMax = 1e12

/** `settings` with `changes` put in. Throws AccountsRefusal `bad_setting` naming the setting. */
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
    gatewayPublic: flag('gatewayPublic', merged.gatewayPublic),
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

/** The same for an account. */
export function changeAccountSettings(
  settings: AccountSettings,
  changes: Readonly<Record<string, unknown>>,
): AccountSettings {
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(defaultAccountSettings, name))
  if (unknown !== undefined) {
    throw new AccountsRefusal('bad_setting', `unknown account setting "${unknown.slice(0, 80)}"`)
  }
  return bytesOf({ ...settings, ...changes })
}

/** Settings as stored in `account.settings`. */
export function parseAccountSettings(json: string): AccountSettings {
  return changeAccountSettings(defaultAccountSettings, JSON.parse(json) as Record<string, unknown>)
}

/** Settings as stored in `api_key.settings`. */
export function parseKeySettings(json: string): KeySettings {
  return changeKeySettings(defaultKeySettings, JSON.parse(json) as Record<string, unknown>)
}

function flag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw refusal(name, 'true or false')
}

function bytesOf(merged: Readonly<Record<keyof AccountSettings, unknown>>): AccountSettings {
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
