// `POST /me/passkeys`: stores the passkey of the authenticator. It is sufficient to sign in from now on.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkeyPage } from './passkey-page.ts'
import { attestationBytes, clientDataBytes, passkey, sealText } from './passkey-schema.ts'

const input = z.strictObject({
  name: z.string().max(64),
  seal: sealText,
  clientDataJSON: clientDataBytes,
  attestationObject: attestationBytes,
  /** Transports of the authenticator, as the browser reports them. */
  transports: z
    .array(z.string().regex(/^[a-z-]{1,32}$/))
    .max(8)
    .default([]),
})
const output = z.object({ passkey })

export const addPasskey = {
  id: 'addPasskey',
  method: 'POST',
  path: '/me/passkeys',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Add the passkey that an authenticator made; it signs you in without the password.',
  input,
  output,
  audit: (_input, { passkey: { id, name, rpId } }) => ({ target: id, changes: { name, rpId } }),
  async run({ clientDataJSON: clientData, attestationObject: attestation, ...rest }, call) {
    const person = personInSession(call)
    const fresh = { ...rest, clientData, attestation }
    const passkey = await call.identity.passkeys.add(person, passkeyPage(call), fresh)
    // The authenticator verified the person: a second factor was shown.
    await renewSession(call, person.session, true)
    return { passkey }
  },
} satisfies JsonOperation<typeof input, typeof output>
