// `DELETE /me/passkeys/{passkey}`: removes the passkey. The password remains, and this session gets a new token.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { keepSecondFactor } from '../me/keep-second-factor.ts'
import { idText } from '../people/person-schema.ts'

const input = z.strictObject({ passkey: idText })
const output = z.object({})

export const removePasskey = {
  id: 'removePasskey',
  method: 'DELETE',
  path: '/me/passkeys/{passkey}',
  role: 'signed-in',
  confirmed: true,
  summary: 'Remove one of your passkeys; your other sessions end.',
  input,
  output,
  async run({ passkey }, call) {
    const { id, session } = personInSession(call)
    await keepSecondFactor(call, id, ({ hasTotp, passkeys }) => hasTotp || passkeys > 1)
    await call.identity.passkeys.remove(passkey, id, session)
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
