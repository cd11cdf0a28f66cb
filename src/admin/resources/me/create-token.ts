// `POST /me/tokens`: a token with at most the rights of its person. Requires a confirmed session.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { Principal } from '../../principal.ts'
import type { Role } from '../../../access/people/person.ts'
import { personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { anyRole, token } from '../people/person-schema.ts'
import { time } from '../../time-schema.ts'

const input = z.strictObject({
  name: z.string().max(64),
  /** Maximum role of the token; it never exceeds that of its person. */
  role: anyRole,
  /** Absent: the default of the setting admin.tokenDays. Null: the maximum that admin.tokenDaysMax permits. */
  expires: time.nullable().optional(),
})
const output = z.object({ token, text: z.string() })

export const createToken = {
  id: 'createToken',
  method: 'POST',
  path: '/me/tokens',
  role: 'signed-in',
  confirmed: true,
  summary: 'Make a token for a program that acts for you; shown in this answer only.',
  input,
  output,
  async run(order, call) {
    const { id } = personInSession(call)
    return await call.identity.tokens.create({ id, may: mostOf(call.actor) }, order)
  },
} satisfies JsonOperation<typeof input, typeof output>

/** The highest role of this person in any account. */
function mostOf(actor: Principal | null): Role {
  if (actor?.kind !== 'person') return 'member'
  if (actor.operator) return 'operator'
  return [...actor.roles.values()].includes('owner') ? 'owner' : 'member'
}
