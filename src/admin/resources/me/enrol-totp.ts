// `POST /me/totp`: creates the secret of a new authenticator, shown once.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { confirmOwnChange } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passwordText } from '../people/person-schema.ts'

/** The name that an authenticator app shows above the email. */
const issuer = 'Cairn'

/** The password is not required in a confirmed session. */
const input = z.strictObject({ password: passwordText.optional() })
const output = z.object({
  /** URI for a QR code. */
  address: z.string(),
  /** For manual input, base32. */
  secret: z.string(),
})

export const enrolTotp = {
  id: 'enrolTotp',
  method: 'POST',
  path: '/me/totp',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Begin to enrol an authenticator; sign-in requires it only after its confirmation.',
  input,
  output,
  async run({ password }, call) {
    const { id } = await confirmOwnChange(call, password)
    return await call.identity.secondFactor.enrol(id, issuer)
  },
} satisfies JsonOperation<typeof input, typeof output>
