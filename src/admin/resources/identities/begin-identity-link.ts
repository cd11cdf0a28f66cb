// `POST /me/identity/begin`: starts linking an identity at the OpenID provider in this session.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import { personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { openIdRequest } from '../people/person-schema.ts'
import { openIdPage } from '../session/openid-page.ts'

const input = z.strictObject({})
const output = openIdRequest

export const beginIdentityLink = {
  id: 'beginIdentityLink',
  method: 'POST',
  path: '/me/identity/begin',
  role: 'signed-in',
  confirmed: true,
  summary: 'Begin to link your identity at the OpenID provider: its address.',
  input,
  output,
  audit: () => null,
  async run(_input, call) {
    const { session } = personInSession(call)
    return await call.identity.openId.begin(openIdPage(call), session)
  },
} satisfies JsonOperation<typeof input, typeof output>
