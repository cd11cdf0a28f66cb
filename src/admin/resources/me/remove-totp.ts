// `POST /me/totp/remove`: removes the authenticator, given the password.
// Tested by test/admin-people.test.ts
import { z } from 'zod'
import { fromOf, personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passwordText } from '../people/person-schema.ts'

const input = z.strictObject({ password: passwordText })
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
    const { id, session } = personInSession(call)
    await call.identity.signIn.confirm({ id, session }, password, fromOf(call).address)
    await call.identity.secondFactor.remove(id, session)
    await renewSession(call, session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
