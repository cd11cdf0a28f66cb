// `POST /session/passkey/begin`: request options for the authenticator. They name no person; the authenticator's response does.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkeyPage } from '../passkeys/passkey-page.ts'
import { passkeyRequest as output, toRequest } from '../passkeys/passkey-schema.ts'

const input = z.strictObject({})

export const beginPasskeySignIn = {
  id: 'beginPasskeySignIn',
  method: 'POST',
  path: '/session/passkey/begin',
  role: 'anyone',
  summary: 'Begin to sign in with a passkey: request options for the authenticator.',
  input,
  output,
  audit: () => null,
  run: (_input, call) => toRequest(call.identity.passkeySignIn.begin(passkeyPage(call), null)),
} satisfies JsonOperation<typeof input, typeof output>
