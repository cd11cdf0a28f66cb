// `GET /accounts/{account}/keys`: the API keys of an account, including revoked ones.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { apiKey } from './key-schema.ts'
import { accountId } from '../accounts/account-schema.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({ keys: z.array(apiKey) })

export const listKeys = {
  id: 'listKeys',
  method: 'GET',
  path: '/accounts/{account}/keys',
  role: 'member',
  summary: 'The API keys of an account, the oldest first.',
  input,
  output,
  run: async ({ account }, { accounts }) => ({ keys: [...(await accounts.listKeysOf(account))] }),
} satisfies JsonOperation<typeof input, typeof output>
