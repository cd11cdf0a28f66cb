// `GET /accounts/{account}/invitations`: open invitations, without their tokens.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { invitation } from '../people/person-schema.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({ invitations: z.array(invitation) })

export const listInvitations = {
  id: 'listInvitations',
  method: 'GET',
  path: '/accounts/{account}/invitations',
  role: 'owner',
  summary: 'Open invitations to an account.',
  input,
  output,
  async run({ account }, { identity }) {
    return { invitations: [...(await identity.invitations.list(account))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
