// `POST /me/confirmation/openid/begin`: starts a confirmation of this session at the OpenID provider.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import { personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { openIdRequest } from '../people/person-schema.ts'
import { openIdPage } from '../session/openid-page.ts'

const input = z.strictObject({})
const output = openIdRequest

export const beginOpenIdConfirmation = {
  id: 'beginOpenIdConfirmation',
  method: 'POST',
  path: '/me/confirmation/openid/begin',
  role: 'signed-in',
  whileEnrolling: true,
  summary:
    'Begin to confirm with OpenID: the address at the provider, which asks for your credentials again.',
  input,
  output,
  audit: () => null,
  async run(_input, call) {
    const { session } = personInSession(call)
    return await call.identity.openId.beginConfirmation(openIdPage(call), session)
  },
} satisfies JsonOperation<typeof input, typeof output>
