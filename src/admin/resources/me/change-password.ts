// `POST /me/password`: sets a new password, given the old one. This session gets a new token, all others end.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { confirmOwnChange, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passwordsClosed } from '../../../access/people/sign-in.ts'
import { passwordText } from '../people/person-schema.ts'

const input = z.strictObject({
  /** The current password; not required in a confirmed session. */
  password: passwordText.optional(),
  newPassword: passwordText,
})
const output = z.object({})

export const changePassword = {
  id: 'changePassword',
  method: 'POST',
  path: '/me/password',
  role: 'signed-in',
  summary: 'Change your password; ends your other sessions.',
  input,
  output,
  async run({ password, newPassword }, call) {
    const { people, passwordsAccepted } = call.identity
    if (!passwordsAccepted()) throw passwordsClosed()
    const { id, session } = await confirmOwnChange(call, password)
    await people.setPassword(id, newPassword, session)
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
