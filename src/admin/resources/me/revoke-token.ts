// `DELETE /me/tokens/{token}`: revokes a token permanently.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { idText } from '../people/person-schema.ts'

const input = z.strictObject({ token: idText })
const output = z.object({})

export const revokeToken = {
  id: 'revokeToken',
  method: 'DELETE',
  path: '/me/tokens/{token}',
  role: 'signed-in',
  summary: 'End one of your tokens for good.',
  input,
  output,
  async run({ token }, call) {
    await call.identity.tokens.revoke(token, actingPerson(call).id)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
