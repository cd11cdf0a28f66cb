// `POST /accounts/{account}/members`: adds an existing person without an invitation. An owner remains an owner.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { memberState } from '../../audited-states.ts'
import { accountId } from '../accounts/account-schema.ts'
import { accountRole, emailText, member } from '../people/person-schema.ts'

const input = z.strictObject({ account: accountId, email: emailText, role: accountRole })
const output = z.object({ members: z.array(member) })

export const addMember = {
  id: 'addMember',
  method: 'POST',
  path: '/accounts/{account}/members',
  role: 'operator',
  summary: 'Add an existing person to an account.',
  input,
  output,
  state: async ({ account, email }, call) => {
    const person = await call.identity.people.findByEmail(email)
    return person === null ? null : await memberState({ account, person: person.id }, call)
  },
  async run({ account, email, role }, { identity }) {
    const { people, memberships } = identity
    const person = await people.findByEmail(email)
    if (person === null)
      throw new Fault('absent', { detail: 'no person has this email: invite them' })
    await memberships.put(account, person.id, role)
    return { members: [...(await memberships.ofAccount(account))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
