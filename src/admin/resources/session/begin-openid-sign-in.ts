// `POST /session/openid/begin`: starts a sign-in at the OpenID provider. The client sends the seal with the provider's response.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { openIdRequest } from '../people/person-schema.ts'
import { openIdPage } from './openid-page.ts'

const input = z.strictObject({})
const output = openIdRequest

export const beginOpenIdSignIn = {
  id: 'beginOpenIdSignIn',
  method: 'POST',
  path: '/session/openid/begin',
  role: 'anyone',
  summary: 'Begin to sign in with OpenID: the address at the provider.',
  input,
  output,
  audit: () => null,
  async run(_input, call) {
    return await call.identity.openId.begin(openIdPage(call), null)
  },
} satisfies JsonOperation<typeof input, typeof output>
