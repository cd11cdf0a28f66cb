// `GET /accounts/{account}/members`: lists members by email.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { member } from '../people/person-schema.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({ members: z.array(member) })

export const listMembers = {
  id: 'listMembers',
  method: 'GET',
  path: '/accounts/{account}/members',
  role: 'member',
  summary: 'Members of an account.',
  input,
  output,
  async run({ account }, { identity }) {
    return { members: [...(await identity.memberships.ofAccount(account))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
