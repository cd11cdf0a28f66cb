// `DELETE /invitations/{invitation}`: invalidates its link.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { idText } from '../people/person-schema.ts'

const input = z.strictObject({ invitation: idText })
const output = z.object({})

export const withdrawAnyInvitation = {
  id: 'withdrawAnyInvitation',
  method: 'DELETE',
  path: '/invitations/{invitation}',
  role: 'operator',
  summary: 'Withdraw an invitation.',
  input,
  output,
  async run({ invitation }, { identity }) {
    await identity.invitations.withdraw(invitation, null)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
