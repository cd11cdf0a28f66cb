// `GET /accounts`: the accounts of the person; all accounts for an operator.
// Tested by test/admin/admin.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import { account as accountSchema } from './account-schema.ts'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({
  accounts: z.array(accountSchema.extend({ role: z.enum(['owner', 'member', 'operator']) })),
})

export const listAccounts = {
  id: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  role: 'signed-in',
  summary: 'Accounts that you belong to; all of them for an operator.',
  input,
  output,
  async run(_input, { actor, accounts }) {
    if (actor === null) return { accounts: [] }
    const rows = (await accounts.listAccounts()).flatMap((account) => {
      const accountRole = actor.kind === 'person' ? actor.roles.get(account.id) : undefined
      const role = accountRole ?? (isOperator(actor) ? ('operator' as const) : null)
      return role === null ? [] : [{ ...account, role }]
    })
    return { accounts: rows }
  },
} satisfies JsonOperation<typeof input, typeof output>
