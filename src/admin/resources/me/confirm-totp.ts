// `POST /me/totp/confirm`: from now on sign-in requires a code. This session gets a new token, all others end.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { codeText } from '../people/person-schema.ts'

const input = z.strictObject({ code: codeText })
const output = z.object({ recoveryCodes: z.array(z.string()) })

export const confirmTotp = {
  id: 'confirmTotp',
  method: 'POST',
  path: '/me/totp/confirm',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Confirm an authenticator with one of its codes; gives recovery codes, shown once.',
  input,
  output,
  async run({ code }, call) {
    const { id, session } = personInSession(call)
    const recoveryCodes = await call.identity.secondFactor.confirm(id, code, session)
    await renewSession(call, session, true)
    return { recoveryCodes: [...recoveryCodes] }
  },
} satisfies JsonOperation<typeof input, typeof output>
