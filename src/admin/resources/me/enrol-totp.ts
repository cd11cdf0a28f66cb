// `POST /me/totp`: a new authenticator, shown once.
// Tested by test/admin-people.test.ts
import { z } from 'zod'
import { fromOf, personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passwordText } from '../people/person-schema.ts'

/** What an authenticator shows above the email. */
const issuer = 'Cairn'

const input = z.strictObject({ password: passwordText })
const output = z.object({
  /** For a QR code. */
  address: z.string(),
  /** To be typed, base32. */
  secret: z.string(),
})

export const enrolTotp = {
  id: 'enrolTotp',
  method: 'POST',
  path: '/me/totp',
  role: 'signed-in',
  summary: 'Begin to enrol an authenticator; sign-in requires it only after its confirmation.',
  input,
  output,
  async run({ password }, call) {
    const { id, session } = personInSession(call)
    await call.identity.signIn.confirm({ id, session }, password, fromOf(call).address)
    return await call.identity.secondFactor.enrol(id, issuer)
  },
} satisfies JsonOperation<typeof input, typeof output>
