// `POST /me/totp/remove`: removes the authenticator, given the password.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { confirmOwnChange, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { keepSecondFactor } from './keep-second-factor.ts'
import { passwordText } from '../people/person-schema.ts'

/** The password is not required in a confirmed session. */
const input = z.strictObject({ password: passwordText.optional() })
const output = z.object({})

export const removeTotp = {
  id: 'removeTotp',
  method: 'POST',
  path: '/me/totp/remove',
  role: 'signed-in',
  summary: 'Sign in without the authenticator again.',
  input,
  output,
  async run({ password }, call) {
    const { id, session } = await confirmOwnChange(call, password)
    await keepSecondFactor(call, id, ({ passkeys }) => passkeys > 0)
    await call.identity.secondFactor.remove(id, session)
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
