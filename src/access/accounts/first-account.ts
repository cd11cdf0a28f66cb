// The account of a new data folder. It has a card, so that the first `add` works.
// Tested by test/server/start.test.ts
import type { Account, Accounts } from './accounts.ts'
import type { KeySettings } from './key-settings.ts'

export const firstAccountName = 'default'

/** Returns the oldest account; creates one if there is none, also if another process does so at the same time. */
export async function obtainFirstAccount(
  accounts: Accounts,
): Promise<Pick<Account, 'id' | 'name'>> {
  const oldest = await accounts.oldestAccount()
  if (oldest !== null) return oldest
  try {
    return await accounts.createAccount(firstAccountName, { hasCard: true })
  } catch (error) {
    const made = await accounts.findAccount(firstAccountName)
    if (made === null) throw error
    return made
  }
}

/** Creates key and secret of the first key, shown once; null if keys exist. `devMethods`: the setting of that name. */
export async function createFirstKey(
  accounts: Accounts,
  { devMethods }: Pick<KeySettings, 'devMethods'>,
): Promise<{ readonly apiKey: string; readonly apiKeySecret: string } | null> {
  const account = await obtainFirstAccount(accounts)
  if (await accounts.hasKeys()) return null
  const { key, secret } = await accounts.createKey(account.name, {
    name: 'first',
    settings: { devMethods },
  })
  return { apiKey: key, apiKeySecret: secret }
}
