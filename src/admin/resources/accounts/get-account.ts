// `GET /accounts/{account}`: one account with its limits.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { account } from './account-schema.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from './account-schema.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({ account })

export const getAccount = {
  id: 'getAccount',
  method: 'GET',
  path: '/accounts/{account}',
  role: 'member',
  summary: 'One account with its limits.',
  input,
  output,
  run: async ({ account: id }, { accounts }) => ({ account: await accounts.getAccountById(id) }),
} satisfies JsonOperation<typeof input, typeof output>
