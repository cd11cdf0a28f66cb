// What comes back from an authenticator, judged: WebAuthn Level 2, 7.1 for a new passkey, 7.2 for one that signs in. Pure;
// whose the challenge and the passkey are is for the caller to say.
// Tested by src/accounts/people/passkeys.test.ts
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { AuthenticatorData } from '../../codec/authenticator-data.ts'
import type { CoseAlgorithm } from '../../codec/cose-algorithms.ts'
import type { CoseKey } from '../../codec/cose-key.ts'
import { badPasskey, type PasskeyPage } from './client-data.ts'

/** `clientData`: JSON. `authenticatorData`, `signature`: as the authenticator gave them. */
export type SignedAnswer = {
  readonly clientData: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
}

/**
 * For this page, by somebody who was there and whom the authenticator knew: so a passkey is two factors by itself. Throws
 * AccountsRefusal `bad_passkey`.
 */
export function checkAuthenticator(
  { rpIdHash, userPresent, userVerified }: AuthenticatorData,
  { rpId }: PasskeyPage,
): void {
  if (!createHash('sha256').update(rpId).digest().equals(rpIdHash)) {
    throw badPasskey(`the passkey is for another name than ${rpId}`)
  }
  if (!userPresent) throw badPasskey('nobody was at the authenticator')
  if (!userVerified) {
    throw badPasskey('the authenticator did not ask who it is: it needs a PIN, a finger or a face')
  }
}

/** DER of the key (SPKI), to be kept. Throws AccountsRefusal `bad_passkey` for a point that is on no curve. */
export function spkiOf({ jwk }: CoseKey): Uint8Array {
  try {
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    return key.export({ type: 'spki', format: 'der' })
  } catch (cause) {
    throw badPasskey('the public key of the passkey is none', cause)
  }
}

/** `spki`: as it was kept. Throws AccountsRefusal `bad_passkey`. */
export function checkSignature(
  { clientData, authenticatorData, signature }: SignedAnswer,
  { spki, algorithm }: { readonly spki: Uint8Array; readonly algorithm: CoseAlgorithm },
): void {
  const clientDataHash = createHash('sha256').update(clientData).digest()
  const signed = Buffer.concat([authenticatorData, clientDataHash])
  const key = createPublicKey({ key: Buffer.from(spki), type: 'spki', format: 'der' })
  if (!isSigned(algorithm, signed, key, signature)) {
    throw badPasskey('the signature of the passkey is wrong')
  }
}

/**
 * Throws AccountsRefusal `bad_passkey` for a count that did not rise: there are two of this authenticator. Those that do
 * not count say 0 (WebAuthn Level 2, 6.1.1).
 */
export function checkSignCount(signCount: number, before: number): void {
  if ((signCount !== 0 || before !== 0) && signCount <= before) {
    throw badPasskey('the count of the passkey did not rise: it may have been copied')
  }
}

function isSigned(
  algorithm: CoseAlgorithm,
  signed: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
): boolean {
  switch (algorithm) {
    case -7:
      return verify('sha256', signed, { key, dsaEncoding: 'der' }, signature)
    case -257:
      return verify('sha256', signed, key, signature)
    case -8:
      return verify(null, signed, key, signature)
  }
}
