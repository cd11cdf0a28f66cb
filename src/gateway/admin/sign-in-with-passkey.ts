// `POST /session/passkey`: a new session for whom the authenticator knew, in place of email, password and code.
// Tested by test/passkeys.test.ts
import { z } from 'zod'
import { endSessionBefore, fromOf } from './acting-person.ts'
import type { JsonOperation } from './admin-operation.ts'
import { passkeyPage } from './passkey-page.ts'
import {
  authenticatorBytes,
  clientDataBytes,
  credentialIdBytes,
  handleBytes,
  sealText,
  signatureBytes,
} from './passkey-schema.ts'
import { person } from './person-schema.ts'

const input = z.strictObject({
  seal: sealText,
  /** Of the credential. */
  id: credentialIdBytes,
  clientDataJSON: clientDataBytes,
  authenticatorData: authenticatorBytes,
  signature: signatureBytes,
  userHandle: handleBytes,
})
const output = z.object({ person, passkey: z.string() })

export const signInWithPasskey: JsonOperation<z.output<typeof input>, z.output<typeof output>> = {
  id: 'signInWithPasskey',
  method: 'POST',
  path: '/session/passkey',
  role: 'anyone',
  summary: 'Sign in with a passkey; sets the cookie.',
  input,
  output,
  audit: (_input, output) => ({ person: output.person, target: output.passkey, changes: {} }),
  async run({ id: credentialId, clientDataJSON, userHandle, ...rest }, call) {
    const { identity, session } = call
    const answer = { ...rest, credentialId, clientData: clientDataJSON, personHandle: userHandle }
    const opened = await identity.passkeySignIn.signIn(answer, passkeyPage(call), fromOf(call))
    await endSessionBefore(call)
    session.begin({ token: opened.token, expires: opened.session.expires })
    return { person: identity.people.get(opened.personId), passkey: opened.passkeyId }
  },
}
