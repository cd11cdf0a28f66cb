// `POST /me/identity`: links the identity of the provider's response, for a begin that this session confirmed.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import { personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { person, queryText, sealText } from '../people/person-schema.ts'

const input = z.strictObject({ seal: sealText, query: queryText })
const output = z.object({ person })

export const linkIdentity = {
  id: 'linkIdentity',
  method: 'POST',
  path: '/me/identity',
  role: 'signed-in',
  summary: 'Link the identity that the OpenID provider answered with; it signs you in from now on.',
  input,
  output,
  audit: (_input, { person: linked }) => ({ target: linked.issuer, changes: {} }),
  async run(answer, call) {
    const { id, session } = personInSession(call)
    await call.identity.openId.link({ id, session }, answer)
    return { person: await call.identity.people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
