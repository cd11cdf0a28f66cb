// `PATCH /accounts/{account}`: name, and transfer and storage limits of the account.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { AccountSettings } from '../../../access/accounts/key-settings.ts'
import { account, accountSettings } from './account-schema.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountState } from '../../audited-states.ts'
import { accountId } from './account-schema.ts'

const input = z.strictObject({
  account: accountId,
  name: z.string().max(64).optional(),
  settings: accountSettings.partial().default({}),
})
const output = z.object({ account })

export const changeAccount = {
  id: 'changeAccount',
  method: 'PATCH',
  path: '/accounts/{account}',
  role: 'operator',
  summary: 'Change name and limits of an account; absent members stay unchanged.',
  input,
  output,
  state: accountState,
  async run({ account: id, name, settings }, { accounts }) {
    const before = await accounts.getAccountById(id)
    // Parsed JSON omits absent members.
    const changes = settings as Partial<AccountSettings>
    if (Object.keys(changes).length > 0) await accounts.changeAccountSettings(before.name, changes)
    if (name !== undefined && name !== before.name) await accounts.renameAccount(id, name)
    return { account: await accounts.getAccountById(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
