// Verifies responses of authenticators with @simplewebauthn/server (decision 0054): registration by WebAuthn Level 3, 7.1,
// authentication by 7.2. The library is loaded with the first response, because it takes 25 MiB.
// Tested by src/access/people/passkeys.test.ts
import { AccountsRefusal } from '../accounts/account-rules.ts'

/** The page that sends the request: its origin, `https://cairn.example.org`, and the RP ID, its host name. */
export type PasskeyPage = { readonly origin: string; readonly rpId: string }

/**
 * Returns the signed challenge, base64url; the caller checks that Cairn issued it. Throws AccountsRefusal `bad_passkey` for a page
 * in a
 * frame of another origin.
 */
export function readChallenge(clientData: Uint8Array): string {
  const members = parseObject(clientData)
  if (members === null) throw badPasskey('the client data is expected to be a JSON object')
  if (members['crossOrigin'] === true || members['topOrigin'] !== undefined) {
    throw badPasskey('the passkey was used in a frame of another page')
  }
  const { challenge } = members
  if (typeof challenge !== 'string') throw badPasskey('the client data has no challenge')
  return challenge
}

export function badPasskey(message: string, cause?: unknown): AccountsRefusal {
  return new AccountsRefusal('bad_passkey', message, { cause })
}

function parseObject(json: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** EdDSA with Ed25519, ES256, RS256, as numbers of the IANA registry of COSE algorithms; preferred first. */
export const passkeyAlgorithms: readonly number[] = [-8, -7, -257]

/** `clientData`: JSON. `attestation`: the attestation object, CBOR. */
export type RegistrationResponse = {
  readonly clientData: Uint8Array
  readonly attestation: Uint8Array
}

/** `clientData`: JSON. The other members as the authenticator sent them. */
export type AuthenticationResponse = {
  readonly credentialId: Uint8Array
  readonly clientData: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
}

/** `publicKey`: a COSE key (RFC 9052, section 7). `signCount`: number of signatures; 0 if the authenticator does not count. */
type Credential = {
  readonly id: Uint8Array
  readonly publicKey: Uint8Array
  readonly signCount: number
}

/** WebAuthn Level 3, 7.1 step 25. */
const credentialIdBytesMax = 1023
/** An RSA key of 8,192 bits takes 1,040. */
const publicKeyBytesMax = 2048
/** A DER signature with r = s = 1. */
const invalidSignature = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1)

/**
 * Returns the new credential. `challenge`: base64url, checked by the caller. Throws AccountsRefusal `bad_passkey`, also without
 * user verification, because a passkey replaces password and code.
 */
export async function verifyRegistration(
  { clientData, attestation }: RegistrationResponse,
  challenge: string,
  { origin, rpId }: PasskeyPage,
): Promise<Credential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { verifySignature } = await import('@simplewebauthn/server/helpers')
  // The library only compares id and rawId; the ID that it returns is from the authenticator data.
  const id = challenge
  return await asRefusal(async () => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData),
          attestationObject: base64url(await withoutStatement(attestation)),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    })
    if (registrationInfo === undefined) throw new Error('not verified')
    const { id: idText, publicKey, counter } = registrationInfo.credential
    const credentialId = Buffer.from(idText, 'base64url')
    if (credentialId.length === 0 || credentialId.length > credentialIdBytesMax) {
      throw new Error(`expected a credential ID of 1 to ${credentialIdBytesMax} bytes`)
    }
    if (publicKey.length > publicKeyBytesMax) {
      throw new Error(`expected a public key of at most ${publicKeyBytesMax} bytes`)
    }
    // Import the key, which a registration without a statement never does: an unusable key would fail at each sign-in.
    const data = Uint8Array.of()
    await verifySignature({ signature: invalidSignature, data, credentialPublicKey: publicKey })
    return { id: credentialId, publicKey, signCount: counter }
  })
}

/**
 * Returns the new signature count. `challenge`: base64url, checked by the caller. Throws AccountsRefusal `bad_passkey`, also for a
 * count that did not increase: the authenticator may have been cloned (WebAuthn Level 3, 6.1.1).
 */
export async function verifyAuthentication(
  { credentialId, clientData, authenticatorData, signature }: AuthenticationResponse,
  challenge: string,
  { origin, rpId }: PasskeyPage,
  stored: Omit<Credential, 'id'>,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const id = base64url(credentialId)
  return await asRefusal(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData),
          authenticatorData: base64url(authenticatorData),
          signature: base64url(signature),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id, publicKey: new Uint8Array(stored.publicKey), counter: stored.signCount },
    })
    if (!verified) throw new Error('wrong signature')
    return authenticationInfo.newCounter
  })
}

/**
 * Cairn requests attestation `none`, but browsers still pass some statements on. The library would verify them, and refuse
 * authenticators of unknown manufacturers.
 */
async function withoutStatement(attestation: Uint8Array): Promise<Uint8Array> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const authData = decodeAttestationObject(new Uint8Array(attestation)).get('authData')
  return isoCBOR.encode(
    new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]),
  )
}

/** Maps errors: the library throws an Error for each response that it does not accept. */
async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw badPasskey(`the passkey was refused: ${why}`, error)
  }
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
