// `GET /keys`: the API keys of all accounts of the caller; for an operator, of every account.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { mayRead } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { apiKey } from './key-schema.ts'

const input = z.strictObject({})
const output = z.object({ keys: z.array(apiKey) })

export const listAllKeys = {
  id: 'listAllKeys',
  method: 'GET',
  path: '/keys',
  role: 'signed-in',
  summary: 'The API keys of all accounts that you belong to; of every account for an operator.',
  input,
  output,
  run: async (_input, { actor, accounts }) => ({
    keys: (await accounts.listKeys()).filter((key) => mayRead(actor, key.accountId)),
  }),
} satisfies JsonOperation<typeof input, typeof output>
