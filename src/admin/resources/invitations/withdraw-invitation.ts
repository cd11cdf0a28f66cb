// `DELETE /accounts/{account}/invitations/{invitation}`: invalidates its link.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { idText } from '../people/person-schema.ts'

const input = z.strictObject({ account: accountId, invitation: idText })
const output = z.object({})

export const withdrawInvitation = {
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: '/accounts/{account}/invitations/{invitation}',
  role: 'owner',
  summary: 'Withdraw an invitation to an account.',
  input,
  output,
  async run({ account, invitation }, { identity }) {
    await identity.invitations.withdraw(invitation, account)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
