// `POST /me/passkeys/begin`: creation options for the authenticator, given the password. The server does not store them.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { confirmOwnChange } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkeyPage } from './passkey-page.ts'
import { challengeFields, sealText } from './passkey-schema.ts'
import { passwordText } from '../people/person-schema.ts'

/** The name that an authenticator shows above the email. */
const rpName = 'Cairn'

/** The password is not required in a confirmed session. */
const input = z.strictObject({ password: passwordText.optional() })
const credential = z.object({
  type: z.literal('public-key'),
  id: z.string(),
  transports: z.array(z.string()),
})
const output = z.object({
  seal: sealText,
  /** `PublicKeyCredentialCreationOptionsJSON`. */
  options: z.object({
    ...challengeFields,
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    excludeCredentials: z.array(credential),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  }),
})

export const beginPasskey = {
  id: 'beginPasskey',
  method: 'POST',
  path: '/me/passkeys/begin',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Begin to add a passkey: creation options for the authenticator.',
  input,
  output,
  audit: () => null,
  async run({ password }, call) {
    const page = passkeyPage(call)
    const { id, email, session } = await confirmOwnChange(call, password)
    const order = await call.identity.passkeys.begin({ id, session }, page)
    const { name } = await call.identity.people.get(id)
    return {
      seal: order.seal,
      options: {
        challenge: order.challenge,
        timeout: order.timeoutMs,
        rp: { id: order.rpId, name: rpName },
        user: { id: order.personHandle, name: email, displayName: name },
        pubKeyCredParams: order.algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
        excludeCredentials: order.existing.map((known) => ({
          type: 'public-key' as const,
          id: known.id,
          transports: [...known.transports],
        })),
        authenticatorSelection: {
          residentKey: 'required' as const,
          requireResidentKey: true as const,
          userVerification: 'required' as const,
        },
        attestation: 'none' as const,
      },
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
