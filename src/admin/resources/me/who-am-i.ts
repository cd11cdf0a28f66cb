// `GET /me`: the person of the session or token.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { isOperator } from '../../principal.ts'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountRole, person } from '../people/person-schema.ts'

const input = z.strictObject({})
const output = z.object({
  person,
  isOperator: z.boolean(),
  /** How the request authenticated. */
  via: z.enum(['session', 'token']),
  accounts: z.array(z.object({ id: z.string(), name: z.string(), role: accountRole })),
  /** Remaining recovery codes of the authenticator. */
  recoveryCodesLeft: z.int(),
  /** May the person invite others to accounts that they own? */
  mayInvite: z.boolean(),
  /** A second factor is required but was not shown in this session, so the session can only set one up. */
  mustEnrol: z.boolean(),
  /** The sign-in methods of this server: see `GET /session/means`. */
  means: z.object({ password: z.boolean(), openId: z.string().nullable() }),
  /** Maximum lifetime of a new token, in days; null: none. */
  tokenDaysMax: z.number().nullable(),
})

export const whoAmI = {
  id: 'whoAmI',
  method: 'GET',
  path: '/me',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'The signed-in person and their rights.',
  input,
  output,
  async run(_input, call) {
    const { id, session } = actingPerson(call)
    const { people, memberships, secondFactor, ownersInvite, openId, tokenMsMax } = call.identity
    const msMax = tokenMsMax()
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
      mustEnrol: call.actor?.kind === 'person' && call.actor.mustEnrol === true,
      means: { password: call.identity.passwordsAccepted(), openId: openId.name() },
      tokenDaysMax: msMax === null ? null : msMax / 86_400_000,
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
