// `GET /session/means`: the sign-in methods of this server, for the sign-in page.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({
  /** Whether sign-in accepts email and password. Passkeys are always accepted. */
  password: z.boolean(),
  /** Name of the OpenID provider; null: none. */
  openId: z.string().nullable(),
})

export const getSignInMeans = {
  id: 'getSignInMeans',
  method: 'GET',
  path: '/session/means',
  role: 'anyone',
  summary: 'How people can sign in to this server.',
  input,
  output,
  run(_input, { identity }) {
    return { password: identity.passwordsAccepted(), openId: identity.openId.name() }
  },
} satisfies JsonOperation<typeof input, typeof output>
