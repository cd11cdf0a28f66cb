// `POST /me/second-factor`: shows a second factor in a session that started without one, where the server requires it.
// Tested by test/admin/second-factor-policy.test.ts
import { z } from 'zod'
import { fromOf, personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { codeText } from '../people/person-schema.ts'

const input = z.strictObject({ code: codeText })
const output = z.object({})

export const showSecondFactor = {
  id: 'showSecondFactor',
  method: 'POST',
  path: '/me/second-factor',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Show a code of your authenticator, or a recovery code, in this session.',
  input,
  output,
  audit: () => ({ changes: {} }),
  async run({ code }, call) {
    const { id, email, session } = personInSession(call)
    await call.identity.signIn.showCode({ id, email, session }, code, fromOf(call))
    await renewSession(call, session, true)
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
