// `POST /me/confirmation/passkey/begin`: returns the challenge that an authenticator signs to confirm this session.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { personInSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkeyPage } from '../passkeys/passkey-page.ts'
import { passkeyRequest as output, toRequest } from '../passkeys/passkey-schema.ts'

const input = z.strictObject({})

export const beginPasskeyConfirmation = {
  id: 'beginPasskeyConfirmation',
  method: 'POST',
  path: '/me/confirmation/passkey/begin',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Begin to confirm with a passkey: the options for the browser.',
  input,
  output,
  audit: () => null,
  run(_input, call) {
    const { session } = personInSession(call)
    return toRequest(call.identity.passkeySignIn.begin(passkeyPage(call), session))
  },
} satisfies JsonOperation<typeof input, typeof output>
