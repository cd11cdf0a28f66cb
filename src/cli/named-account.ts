// Finds accounts by name; operations take IDs.
// Tested by test/cli/cli.test.ts
import { AccountsRefusal, quote } from '../access/accounts/account-rules.ts'
import { firstAccountName } from '../access/accounts/first-account.ts'
import type { AdminAccess } from './admin-access.ts'

export type NamedAccount = { readonly id: string; readonly name: string }

/** Throws AccountsRefusal `no_account`. */
export async function accountNamed(admin: AdminAccess, name: string): Promise<NamedAccount> {
  const found = await findNamed(admin, name)
  if (found !== undefined) return found
  throw new AccountsRefusal('no_account', `unknown account ${quote(name)}`)
}

/** The oldest account; creates one, with a card, if there is none, also if another process does so at the same time. */
export async function oldestAccount(admin: AdminAccess): Promise<NamedAccount> {
  const { accounts } = await admin.call('GET /accounts')
  const [oldest] = accounts.toSorted((a, b) => a.created - b.created)
  if (oldest !== undefined) return oldest
  try {
    const fresh = { name: firstAccountName, hasCard: true }
    return (await admin.call('POST /accounts', fresh)).account
  } catch (error) {
    const made = await findNamed(admin, firstAccountName)
    if (made === undefined) throw error
    return made
  }
}

async function findNamed(admin: AdminAccess, name: string): Promise<NamedAccount | undefined> {
  const { accounts } = await admin.call('GET /accounts')
  return accounts.find((account) => account.name === name)
}
