// Accounts and API keys as they stand in the database, made what the rest of the program knows them as.
// Tested by src/accounts/accounts.test.ts
import { parseAccountSettings, parseKeySettings } from './parse-key-settings.ts'

/** An Account of accounts.ts. */
export function toAccount(row: {
  id: string
  name: string
  created: number
  card: number
  settings: string
}) {
  const { id, name, created } = row
  const settings = parseAccountSettings(row.settings)
  return { id, name, created, hasCard: row.card === 1, settings }
}

/** An ApiKey of accounts.ts. */
export function toApiKey(row: {
  id: string
  account_id: string
  account_name: string
  name: string
  prefix: string
  created: number
  expires: number | null
  revoked: number | null
  last_used_day: string | null
  settings: string
  rotated_from: string | null
  earlier_secret_expires: number | null
}) {
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
