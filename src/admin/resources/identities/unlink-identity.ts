// `DELETE /me/identity`: unlinks the identity; refused if it is the person's only way to sign in.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import { personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({})

export const unlinkIdentity = {
  id: 'unlinkIdentity',
  method: 'DELETE',
  path: '/me/identity',
  role: 'signed-in',
  confirmed: true,
  summary: 'Unlink your identity at the OpenID provider; your other sessions end.',
  input,
  output,
  async run(_input, call) {
    const { id, session } = personInSession(call)
    const { people, openId, passwordsAccepted } = call.identity
    const { hasPassword, passkeys } = await people.get(id)
    if (passkeys === 0 && !(hasPassword && passwordsAccepted())) {
      const detail = 'you could no longer sign in: set a password or add a passkey first'
      throw new Fault('conflict', { detail })
    }
    await openId.unlink(id, session)
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
