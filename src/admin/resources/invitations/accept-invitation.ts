// `POST /me/invitations`: adds an account to a person who can already sign in. The session gets a new token.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { linkText } from '../people/person-schema.ts'

const input = z.strictObject({ link: linkText })
const output = z.object({})

export const acceptInvitation = {
  id: 'acceptInvitation',
  method: 'POST',
  path: '/me/invitations',
  role: 'signed-in',
  summary: 'Accept an invitation as the signed-in person.',
  input,
  output,
  async run({ link }, call) {
    const { id, email, session } = personInSession(call)
    await call.identity.invitations.acceptAs(link, { id, email })
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
