// `POST /me/invitations`: one more account, for somebody who signs in already. This session gets a new token.
// Tested by test/admin-people.test.ts
import { z } from 'zod'
import { personInSession, renewSession } from '../acting-person.ts'
import type { JsonOperation } from '../admin-operation.ts'
import { linkText } from '../people/person-schema.ts'

const input = z.strictObject({ link: linkText })
const output = z.object({})

export const takeInvitation = {
  id: 'takeInvitation',
  method: 'POST',
  path: '/me/invitations',
  role: 'signed-in',
  summary: 'Take an invitation as who you are.',
  input,
  output,
  async run({ link }, call) {
    const { id, email, session } = personInSession(call)
    await call.identity.invitations.takeAs(link, { id, email })
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
