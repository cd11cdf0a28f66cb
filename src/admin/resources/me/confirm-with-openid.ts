// `POST /me/confirmation/openid`: as `POST /me/confirmation`, with a new sign-in at the provider instead of the password.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import { fromOf, personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { queryText, sealText } from '../people/person-schema.ts'

const input = z.strictObject({ seal: sealText, query: queryText })
const output = z.object({})

export const confirmWithOpenId = {
  id: 'confirmWithOpenId',
  method: 'POST',
  path: '/me/confirmation/openid',
  role: 'signed-in',
  whileEnrolling: true,
  summary:
    'Confirm with the answer of the OpenID provider, as some changes require; valid for five minutes.',
  input,
  output,
  audit: () => null,
  async run(answer, call) {
    const person = personInSession(call)
    const { openId, confirmations } = call.identity
    const isStrong = await openId.confirm(person, answer, fromOf(call))
    confirmations.confirm(person.session)
    if (isStrong) await renewSession(call, person.session, true)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
