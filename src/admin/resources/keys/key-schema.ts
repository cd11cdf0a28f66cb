// Schemas of API keys. They contain no credentials: only the operation that creates a key or secret returns it, once.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { checkAllowedMethods } from './allowed-methods.ts'
import type { Accounts, ApiKey } from '../../../access/accounts/accounts.ts'
import type { KeySettings } from '../../../access/accounts/key-settings.ts'
import { importProfiles } from '../../../codec/ipld/import-profile.ts'
import { Fault } from '../../../base/fault.ts'
import { accountId, provide } from '../accounts/account-schema.ts'
import { time } from '../../time-schema.ts'

const limit = z.int().min(0).nullable()
const entries = z.array(z.string())

const keySettingsShape = z.strictObject({
  secretRequired: z.boolean(),
  jwtRequired: z.boolean(),
  jwtAudiences: entries,
  networks: entries.nullable(),
  devMethods: z.boolean(),
  files: z.boolean(),
  unitsPerSecond: limit,
  unitsPerDay: limit,
  filesReadsPerSecond: limit,
  filesWritesPerSecond: limit,
  filesUploadBytesPerMonth: limit,
  filesDownloadBytesPerMonth: limit,
  filesStoredBytes: limit,
  filesBodyBytes: limit,
  filesUploads: limit,
  importProfile: z.enum(Object.keys(importProfiles) as [keyof typeof importProfiles]).nullable(),
  gatewayPinnedOnly: z.boolean(),
  provide,
  allowAddresses: entries,
  allowMethods: entries,
  allowOrigins: entries,
  allowUserAgents: entries,
  allowIps: entries,
  overrideWithSecret: z.boolean(),
  inspect: z.boolean(),
  inspectBodies: z.boolean(),
  inspectAddresses: z.boolean(),
})

/**
 * All settings of a key: null = no limit (or the server's default), 0 = none allowed, an empty list = all; for networks, null is
 * all and an empty list none.
 */
const keySettings: z.ZodType<KeySettings> = keySettingsShape

/** Changed settings; absent ones stay. Values are validated by the accounts layer. */
export const keyChanges = keySettingsShape.partial().extend({
  allowMethods: entries.superRefine(checkAllowedMethods).optional(),
}) as unknown as z.ZodType<Partial<KeySettings>>

export const planName = z.enum(['none', 'free', 'developer', 'team'])

export const keyId = z.string().min(1).max(128)

/** In the path of every operation on one key. */
export const keyPath = { account: accountId, key: keyId }

export const apiKey = z.object({
  id: z.string(),
  accountId: z.string(),
  accountName: z.string(),
  name: z.string(),
  /** Up to 8 characters of the key, for identification. */
  prefix: z.string(),
  created: time,
  expires: time.nullable(),
  revoked: time.nullable(),
  /** UTC day `2026-01-31`; null: never used. */
  lastUsedDay: z.string().nullable(),
  settings: keySettings,
  /** ID of the key that this one replaces. */
  /** The stored settings are damaged: the key is refused, and `settings` are those of a new key. */
  settingsDamaged: z.literal(true).optional(),
  rotatedFrom: z.string().nullable(),
  /** Expiry of the secret before the last rotation. */
  earlierSecretExpires: time.nullable(),
})

/** Returned once; Cairn stores hashes. */
export const madeKey = z.object({ key: apiKey, apiKey: z.string(), apiKeySecret: z.string() })

/** Throws Fault `absent`, also for a key of another account. */
export async function keyOf(accounts: Accounts, account: string, key: string): Promise<ApiKey> {
  const found = await accounts.findKeyOf(account, key)
  if (found !== null) return found
  throw new Fault('absent', { detail: 'the account has no key with this id' })
}
