// The account of a new data folder. It has a card, so that the first `add` works.
// Tested by test/server/start.test.ts
import type { Account, Accounts } from './accounts.ts'
import type { KeySettings } from './key-settings.ts'

export const firstAccountName = 'default'

/** The oldest account; made when there is none, also when another process makes it at the same moment. */
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

/** Key and secret of the first key, or null when there are keys already. Shown once. `devMethods`: as its setting. */
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
