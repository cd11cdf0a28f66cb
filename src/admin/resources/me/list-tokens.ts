// `GET /me/tokens`: tokens of the caller, without their text.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { token } from '../people/person-schema.ts'

const input = z.strictObject({})
const output = z.object({ tokens: z.array(token) })

export const listTokens = {
  id: 'listTokens',
  method: 'GET',
  path: '/me/tokens',
  role: 'signed-in',
  summary: 'Your tokens for programs.',
  input,
  output,
  async run(_input, call) {
    return { tokens: [...(await call.identity.tokens.list(actingPerson(call).id))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
