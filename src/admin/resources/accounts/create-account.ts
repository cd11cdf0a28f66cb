// `POST /accounts`: creates an account without keys.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { account } from './account-schema.ts'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({
  name: z.string().max(64),
  /** Absent: true if only the operator marks cards (`card.adapter: manual`). */
  hasCard: z.boolean().optional(),
})
const output = z.object({ account })

export const createAccount = {
  id: 'createAccount',
  method: 'POST',
  path: '/accounts',
  role: 'operator',
  summary: 'Make an account.',
  input,
  output,
  run: async ({ name, hasCard }, { accounts, cards }) => ({
    account: await accounts.createAccount(name, {
      hasCard: hasCard ?? cards.adapter === 'manual',
    }),
  }),
} satisfies JsonOperation<typeof input, typeof output>
