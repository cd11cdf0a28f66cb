// `POST /me/confirmation`: confirms that the session's person is present. For the next five minutes the session may create
// operators and tokens, reset a sign-in, and enable people.
// Tested by test/keys/credentials.test.ts
import { z } from 'zod'
import { fromOf, personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passwordText } from '../people/person-schema.ts'

const input = z.strictObject({ password: passwordText })
const output = z.object({})

export const confirmWithPassword = {
  id: 'confirmWithPassword',
  method: 'POST',
  path: '/me/confirmation',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Show your password, as some changes require; valid for five minutes.',
  input,
  output,
  audit: () => null,
  async run({ password }, call) {
    const { id, session } = personInSession(call)
    await call.identity.signIn.confirm({ id, session }, password, fromOf(call).address)
    call.identity.confirmations.confirm(session)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
