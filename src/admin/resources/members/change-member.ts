// `PATCH /accounts/{account}/members/{person}`: changes the role. Ends the person's sessions, because a new role needs a new token.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { memberState } from '../../audited-states.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keepOwnSession } from './keep-own-session.ts'
import { accountRole, idText, member } from '../people/person-schema.ts'

const input = z.strictObject({
  account: accountId,
  person: idText,
  role: accountRole,
  /** Permits an account without an owner; for operators. */
  ownerless: z.boolean().default(false),
})
const output = z.object({ members: z.array(member) })

export const changeMember = {
  id: 'changeMember',
  method: 'PATCH',
  path: '/accounts/{account}/members/{person}',
  role: 'owner',
  summary: 'Make a member an owner, or an owner a member; an account keeps an owner.',
  input,
  output,
  state: memberState,
  async run({ account, person, role, ownerless }, call) {
    const { memberships } = call.identity
    const may = call.actor !== null && isOperator(call.actor)
    await keepOwnSession(call, person, (keepSession) =>
      memberships.changeRole(account, person, role, { ownerless: ownerless && may, keepSession }),
    )
    return { members: [...(await memberships.ofAccount(account))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
