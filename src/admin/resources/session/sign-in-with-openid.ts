// `POST /session/openid`: creates a session for the person of the identity.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import { beginSession, fromOf } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { linkText, person, queryText, sealText } from '../people/person-schema.ts'

const input = z.strictObject({
  seal: sealText,
  query: queryText,
  /** Link of an invitation, which admits a new person. */
  link: linkText.optional(),
})
const output = z.object({ person, isNew: z.boolean() })

export const signInWithOpenId = {
  id: 'signInWithOpenId',
  method: 'POST',
  path: '/session/openid',
  role: 'anyone',
  summary:
    'Sign in, or sign up with an invitation, with the answer of the OpenID provider; sets the cookie.',
  input,
  output,
  audit: (_input, { person: signedIn, isNew }) => ({ person: signedIn, changes: { isNew } }),
  async run({ seal, query, link }, call) {
    const { openId, people } = call.identity
    const { isNew, personId, ...opened } = await openId.signIn(
      { seal, query },
      link ?? null,
      fromOf(call),
    )
    await beginSession(call, personId, opened)
    return { person: await people.get(personId), isNew }
  },
} satisfies JsonOperation<typeof input, typeof output>
