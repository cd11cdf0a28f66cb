// `POST /accounts/{account}/leave`: removes the caller from the account.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { memberState } from '../../audited-states.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keepOwnSession } from './keep-own-session.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({})

export const leaveAccount = {
  id: 'leaveAccount',
  method: 'POST',
  path: '/accounts/{account}/leave',
  role: 'member',
  summary: 'Leave an account; its last owner cannot.',
  input,
  output,
  state: ({ account }, call) => memberState({ account, person: actingPerson(call).id }, call),
  async run({ account }, call) {
    const { id } = actingPerson(call)
    await keepOwnSession(call, id, (keepSession) =>
      call.identity.memberships.remove(account, id, { keepSession }),
    )
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
