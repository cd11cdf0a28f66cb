// `PUT /accounts/{account}/provide`: which pins of the account are public and announced on the IPFS network.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import { account, accountId, provide } from './account-schema.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountState } from '../../audited-states.ts'

const input = z.strictObject({ account: accountId, provide })
const output = z.object({ account })

export const setProvide = {
  id: 'setProvide',
  method: 'PUT',
  path: '/accounts/{account}/provide',
  role: 'owner',
  summary:
    'Set which pins of an account are public: none, or all, with roots or all blocks announced.',
  input,
  output,
  state: accountState,
  async run({ account: id, provide: level }, { accounts }) {
    const { name } = await accounts.getAccountById(id)
    await accounts.changeAccountSettings(name, { provide: level })
    return { account: await accounts.getAccountById(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
