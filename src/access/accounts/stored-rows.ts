// Converts database rows to accounts and API keys.
// Tested by src/access/accounts/accounts.test.ts
import type { AccountRow } from '../../tables/accounts.ts'
import type { ApiKeyRow } from '../../tables/api-keys.ts'
import { defaultAccountSettings, defaultKeySettings } from './key-settings.ts'
import { parseAccountSettings, parseKeySettings } from './parse-key-settings.ts'

/** Converts a row to an Account of accounts.ts. */
export function toAccount(row: AccountRow) {
  const { id, name, created } = row
  const settings = parseAccountSettings(row.settings)
  return { id, name, created, hasCard: row.card === 1, settings }
}

/** Converts a row to an ApiKey of accounts.ts. */
export function toApiKey(row: ApiKeyRow) {
  const { id, name, prefix, created, expires, revoked } = row
  return {
    id,
    accountId: row.account_id,
    accountName: row.account_name,
    name,
    prefix,
    created,
    expires,
    revoked,
    lastUsedDay: row.last_used_day,
    settings: parseKeySettings(row.settings),
    rotatedFrom: row.rotated_from,
    earlierSecretExpires: row.earlier_secret_expires,
  }
}

/** As `toAccount`, for lists: one damaged row must not hide the others. */
export function toListedAccount(row: AccountRow) {
  try {
    return toAccount(row)
  } catch {
    const settings = JSON.stringify(defaultAccountSettings)
    return { ...toAccount({ ...row, settings }), settingsDamaged: true as const }
  }
}

/** As `toApiKey`, for lists: one damaged row must not hide the others. */
export function toListedKey(row: ApiKeyRow) {
  try {
    return toApiKey(row)
  } catch {
    const settings = JSON.stringify(defaultKeySettings)
    return { ...toApiKey({ ...row, settings }), settingsDamaged: true as const }
  }
}
