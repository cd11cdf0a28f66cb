// `DELETE /accounts/{account}/members/{person}`: removes a person from the account.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { memberState } from '../../audited-states.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keepOwnSession } from './keep-own-session.ts'
import { idText, member } from '../people/person-schema.ts'

const input = z.strictObject({
  account: accountId,
  person: idText,
  /** Permits an account without an owner; for operators. */
  ownerless: z.stringbool().or(z.boolean()).default(false),
})
const output = z.object({ members: z.array(member) })

export const removeMember = {
  id: 'removeMember',
  method: 'DELETE',
  path: '/accounts/{account}/members/{person}',
  role: 'owner',
  summary: 'Take a person out of an account; an account keeps an owner.',
  input,
  output,
  state: memberState,
  async run({ account, person, ownerless }, call) {
    const { memberships } = call.identity
    const may = call.actor !== null && isOperator(call.actor)
    await keepOwnSession(call, person, (keepSession) =>
      memberships.remove(account, person, { ownerless: ownerless && may, keepSession }),
    )
    return { members: [...(await memberships.ofAccount(account))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
