// Public key that verifies the JWTs of an ApiKey, as the owner supplies it: PEM (SPKI, RFC 7468) or a JWK (RFC 7517).
// Its algorithm is fixed when the key is added and never read from a token.
import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { AccountsRefusal } from './accounts-refusal.ts'

/** RFC 7518 3.1: RSASSA-PKCS1-v1_5 or ECDSA on P-256, both with SHA-256. */
export type JwtAlgorithm = 'RS256' | 'ES256'

export type ParsedPublicKey = {
  readonly algorithm: JwtAlgorithm
  /** DER of the SubjectPublicKeyInfo (RFC 5280 4.1.2.7). */
  readonly spki: Uint8Array
}

const textCharsMax = 8_192
const rsaBits = { least: 2048, most: 8192 } as const
const ecCurve = 'prime256v1'
const pemForm = /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PUBLIC KEY-----$/
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'] as const

/** Throws AccountsRefusal `bad_public_key`: a private key, another algorithm, RSA under 2048 bits, no key at all. */
export function parsePublicKey(text: string): ParsedPublicKey {
  if (text.length > textCharsMax) throw refusal(`has more than ${textCharsMax} characters`)
  const trimmed = text.trim().replaceAll('\r\n', '\n')
  const key = trimmed.startsWith('{') ? fromJwk(trimmed) : fromPem(trimmed)
  return {
    algorithm: algorithmOf(key),
    spki: new Uint8Array(key.export({ type: 'spki', format: 'der' })),
  }
}

/** base64 of the SHA-256 of the DER, as `openssl … -pubout -outform DER | openssl sha256 -binary | openssl base64`. */
export function fingerprintOf(spki: Uint8Array): string {
  return hash('sha256', spki, 'base64')
}

function fromPem(text: string): KeyObject {
  // The text is never shown: it may be a secret in the wrong place.
  if (text.includes('PRIVATE KEY')) throw privateRefusal()
  if (!pemForm.test(text)) {
    throw refusal('must be PEM from -----BEGIN PUBLIC KEY----- to its end, or a JWK')
  }
  return read(() => createPublicKey(text))
}

function fromJwk(text: string): KeyObject {
  let jwk: Readonly<Record<string, unknown>>
  try {
    jwk = JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw refusal('is no JSON', cause)
  }
  if (secretMembers.some((name) => Object.hasOwn(jwk, name))) throw privateRefusal()
  const { use, alg } = jwk
  if (use !== undefined && use !== 'sig') throw refusal('is a JWK for another use than "sig"')
  const key = read(() => createPublicKey({ key: jwk, format: 'jwk' }))
  if (alg !== undefined && alg !== algorithmOf(key)) {
    throw refusal(`is a JWK for another algorithm than ${algorithmOf(key)}`)
  }
  return key
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): JwtAlgorithm {
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails.namedCurve === ecCurve) return 'ES256'
  if (asymmetricKeyType !== 'rsa') {
    throw refusal('must be an RSA key (RS256) or an EC key on P-256 (ES256)')
  }
  const bits = asymmetricKeyDetails.modulusLength ?? 0
  if (bits >= rsaBits.least && bits <= rsaBits.most) return 'RS256'
  throw refusal(`has ${bits} bits: an RSA key needs ${rsaBits.least} to ${rsaBits.most}`)
}

function read(make: () => KeyObject): KeyObject {
  try {
    return make()
  } catch (cause) {
    throw refusal('cannot be read as a public key', cause)
  }
}

function privateRefusal(): AccountsRefusal {
  return refusal(
    'is a private key: add its public key, and store the private key with the signer only',
  )
}

function refusal(what: string, cause?: unknown): AccountsRefusal {
  return new AccountsRefusal('bad_public_key', `the key ${what}`, { cause })
}
