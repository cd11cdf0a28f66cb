// `GET /me`: the person of the session or token.
// Tested by test/admin-people.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountRole, person } from '../people/person-schema.ts'

const input = z.strictObject({})
const output = z.object({
  person,
  isOperator: z.boolean(),
  /** How they came. */
  via: z.enum(['session', 'token']),
  accounts: z.array(z.object({ id: z.string(), name: z.string(), role: accountRole })),
  /** Recovery codes of the authenticator that are left. */
  recoveryCodesLeft: z.int(),
  /** May they invite people to accounts that they own? */
  mayInvite: z.boolean(),
})

export const whoAmI = {
  id: 'whoAmI',
  method: 'GET',
  path: '/me',
  role: 'signed-in',
  summary: 'The signed-in person and their rights.',
  input,
  output,
  async run(_input, call) {
    const { id, session } = actingPerson(call)
    const { people, memberships, secondFactor, ownersInvite } = call.identity
    const accounts = await memberships.ofPerson(id)
    const operator = call.actor !== null && isOperator(call.actor)
    return {
      person: await people.get(id),
      isOperator: operator,
      via: session === null ? ('token' as const) : ('session' as const),
      accounts: accounts.map(({ accountId, accountName, role }) => ({
        id: accountId,
        name: accountName,
        role,
      })),
      recoveryCodesLeft: await secondFactor.codesLeft(id),
      mayInvite: operator || ownersInvite(),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
