// Schemas of passkeys, and of options and responses of authenticators: bytes are base64url, as in the JSON forms of WebAuthn Level
// 3, 5.1.8 and 5.1.9.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { time } from '../../time-schema.ts'

export const passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** The host name for which it is valid. */
  rpId: z.string(),
  created: time,
  /** Null: never. */
  lastUsed: time.nullable(),
})

/** Sent with a challenge and returned with the response. */
export const sealText = z.string().max(128)

/** At most `bytesMax` bytes; parsed to a Buffer. */
function bytes(bytesMax: number) {
  return z
    .string()
    .max(Math.ceil((bytesMax * 4) / 3))
    .regex(/^[A-Za-z0-9_-]*$/, 'expected base64url')
    .transform((text) => Buffer.from(text, 'base64url'))
}

export const clientDataBytes = bytes(4096)
export const attestationBytes = bytes(16_384)
const authenticatorBytes = bytes(4096)
const signatureBytes = bytes(2048)
const credentialIdBytes = bytes(1023)
const handleBytes = bytes(64)

export const challengeFields = { challenge: z.string(), timeout: z.int() }

/** Options for the browser's authenticator: `PublicKeyCredentialRequestOptionsJSON`. */
export const passkeyRequest = z.object({
  seal: sealText,
  options: z.object({
    ...challengeFields,
    rpId: z.string(),
    userVerification: z.literal('required'),
  }),
})

/** The authenticator's response. */
export const passkeyAnswer = z.strictObject({
  seal: sealText,
  /** ID of the credential. */
  id: credentialIdBytes,
  clientDataJSON: clientDataBytes,
  authenticatorData: authenticatorBytes,
  signature: signatureBytes,
  userHandle: handleBytes,
})

/** Converts to the form that sign-in verifies. */
export function toAnswer({
  id: credentialId,
  clientDataJSON: clientData,
  userHandle: personHandle,
  ...rest
}: z.output<typeof passkeyAnswer>) {
  return { ...rest, credentialId, clientData, personHandle }
}

/** Converts to the form that a browser expects. */
export function toRequest({
  seal,
  challenge,
  rpId,
  timeoutMs: timeout,
}: {
  readonly seal: string
  readonly challenge: string
  readonly rpId: string
  readonly timeoutMs: number
}): z.output<typeof passkeyRequest> {
  return { seal, options: { challenge, rpId, timeout, userVerification: 'required' } }
}
