// `GET /accounts/{account}/ipns-keys`: keys of IPNS names that Cairn stores for the account.
// Tested by test/admin/ipns-keys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { ipnsKey } from './ipns-keys-view.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({ keys: z.array(ipnsKey) })

export const listIpnsKeys = {
  id: 'listIpnsKeys',
  method: 'GET',
  path: '/accounts/{account}/ipns-keys',
  role: 'member',
  summary: 'Keys of IPNS names that Cairn holds for the account.',
  input,
  output,
  run: async ({ account }, { ipnsKeys }) => ({ keys: (await ipnsKeys?.list(account)) ?? [] }),
} satisfies JsonOperation<typeof input, typeof output>
