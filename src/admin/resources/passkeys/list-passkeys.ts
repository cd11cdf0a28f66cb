// `GET /me/passkeys`: passkeys of the signed-in person.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkey } from './passkey-schema.ts'

const input = z.strictObject({})
const output = z.object({ passkeys: z.array(passkey) })

export const listPasskeys = {
  id: 'listPasskeys',
  method: 'GET',
  path: '/me/passkeys',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Your passkeys.',
  input,
  output,
  async run(_input, call) {
    return { passkeys: [...(await call.identity.passkeys.list(actingPerson(call).id))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
