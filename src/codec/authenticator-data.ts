// What an authenticator says and signs: WebAuthn Level 2, section 6.1; and the attestation object around it at a
// registration, section 6.5.4. Its statement says who made the authenticator: it is not asked for and not looked at.
import { decodeCborMap } from './cbor.ts'
import { type CoseKey, decodeCoseKey } from './cose-key.ts'
import { Malformed } from './malformed.ts'

export type AuthenticatorData = {
  /** SHA-256 of the RP ID, 32 bytes. */
  readonly rpIdHash: Uint8Array
  /** Somebody touched it. */
  readonly userPresent: boolean
  /** It knew them: by a PIN, a finger, a face. */
  readonly userVerified: boolean
  /** Signatures so far, 32 bits; 0 where the authenticator does not count. */
  readonly signCount: number
  /** At a registration. */
  readonly credential: { readonly id: Uint8Array; readonly key: CoseKey } | null
}

const flag = { userPresent: 1, userVerified: 4, credential: 0x40, extensions: 0x80 } as const
const headBytes = 37
const aaguidBytes = 16
/** WebAuthn Level 2, 7.1 step 17 and 5.8.3. */
const credentialIdBytesMax = 1023

/** Throws Malformed, also for bytes that are left over. */
export function decodeAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < headBytes) throw new Malformed(`${headBytes} bytes of authenticator data`)
  const flags = bytes[32] as number
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let rest = bytes.subarray(headBytes)
  let credential: AuthenticatorData['credential'] = null
  if ((flags & flag.credential) !== 0) ({ credential, rest } = readCredential(rest))
  if ((flags & flag.extensions) !== 0) ({ rest } = decodeCborMap(rest))
  if (rest.length > 0) throw new Malformed('the end of the authenticator data')
  return {
    rpIdHash: bytes.subarray(0, 32),
    userPresent: (flags & flag.userPresent) !== 0,
    userVerified: (flags & flag.userVerified) !== 0,
    signCount: view.getUint32(33),
    credential,
  }
}

/** The authenticator data in an attestation object, whatever its statement. Throws Malformed. */
export function decodeAttestation(bytes: Uint8Array): AuthenticatorData {
  const { map, rest } = decodeCborMap(bytes)
  const data = map.get('authData')
  if (rest.length > 0) throw new Malformed('the end of the attestation object')
  if (typeof map.get('fmt') !== 'string' || !(map.get('attStmt') instanceof Map)) {
    throw new Malformed('a format and a statement in the attestation object')
  }
  if (!(data instanceof Uint8Array)) throw new Malformed('authenticator data in the attestation')
  return decodeAuthenticatorData(data)
}

function readCredential(bytes: Uint8Array): {
  readonly credential: NonNullable<AuthenticatorData['credential']>
  readonly rest: Uint8Array
} {
  const start = aaguidBytes + 2
  if (bytes.length < start) throw new Malformed('a credential in the authenticator data')
  const length = ((bytes[aaguidBytes] as number) << 8) | (bytes[aaguidBytes + 1] as number)
  if (length === 0 || length > credentialIdBytesMax || length > bytes.length - start) {
    throw new Malformed(`a credential id of 1 to ${credentialIdBytesMax} bytes`)
  }
  const { map, rest } = decodeCborMap(bytes.subarray(start + length))
  return {
    credential: { id: bytes.subarray(start, start + length), key: decodeCoseKey(map) },
    rest,
  }
}
