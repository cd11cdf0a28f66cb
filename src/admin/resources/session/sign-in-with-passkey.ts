// `POST /session/passkey`: creates a session for the verified person, without email, password and code.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { beginSession, fromOf } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkeyPage } from '../passkeys/passkey-page.ts'
import { passkeyAnswer as input, toAnswer } from '../passkeys/passkey-schema.ts'
import { person } from '../people/person-schema.ts'

const output = z.object({ person, passkey: z.string() })

export const signInWithPasskey = {
  id: 'signInWithPasskey',
  method: 'POST',
  path: '/session/passkey',
  role: 'anyone',
  summary: 'Sign in with a passkey; sets the cookie.',
  input,
  output,
  audit: (_input, output) => ({ person: output.person, target: output.passkey, changes: {} }),
  async run(answer, call) {
    const { identity } = call
    const opened = await identity.passkeySignIn.signIn(
      toAnswer(answer),
      passkeyPage(call),
      fromOf(call),
    )
    await beginSession(call, opened.personId, opened)
    return { person: await identity.people.get(opened.personId), passkey: opened.passkeyId }
  },
} satisfies JsonOperation<typeof input, typeof output>
