// `POST /session`: creates a session; ignores earlier cookies.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { beginSession, fromOf } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { codeText, emailText, passwordText, person } from '../people/person-schema.ts'

const input = z.strictObject({
  email: emailText,
  password: passwordText,
  /** A code of the authenticator, or a recovery code; required if the reply without one is `needs_code`. */
  code: codeText.optional(),
})
const output = z.object({ person })

export const signIn = {
  id: 'signIn',
  method: 'POST',
  path: '/session',
  role: 'anyone',
  summary:
    'Sign in with email, password and, where an authenticator is enrolled, a code; sets the cookie.',
  input,
  output,
  audit: (_input, output) => ({ person: output.person, changes: {} }),
  async run({ email, password, code }, call) {
    const { identity } = call
    const order = { email, password, ...(code === undefined ? {} : { code }) }
    const opened = await identity.signIn.signIn(order, fromOf(call))
    await beginSession(call, opened.personId, opened)
    return { person: await identity.people.get(opened.personId) }
  },
} satisfies JsonOperation<typeof input, typeof output>
