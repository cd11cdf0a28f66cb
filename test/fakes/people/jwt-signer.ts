// Signer of JWTs for an ApiKey: a new key pair, and valid or invalid tokens.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'

export type JwtSigner = {
  readonly algorithm: 'RS256' | 'ES256'
  /** PEM, as uploaded to the server. */
  readonly publicKey: string
  readonly privateKey: KeyObject
  /** A token for `kid`; `claims` and `header` override the defaults, undefined omits a member. */
  sign(
    kid: string,
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<string>
}

/** `now`: milliseconds since 1970; by default tokens are valid for an hour from then. */
export function createJwtSigner(algorithm: 'RS256' | 'ES256', now: () => number): JwtSigner {
  const { publicKey, privateKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return {
    algorithm,
    privateKey,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    async sign(kid, claims = {}, header = {}) {
      const usual = { exp: Math.floor(now() / 1000) + 3600, aud: 'infura.io' }
      const allMembers = { alg: algorithm, typ: 'JWT', kid, ...header }
      const definedClaims = Object.fromEntries(
        Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
      )
      const members = Object.fromEntries(
        Object.entries(allMembers).filter(([, value]) => value !== undefined),
      )
      return await new SignJWT(definedClaims as JWTPayload)
        .setProtectedHeader(members as { alg: string })
        .sign(privateKey)
    },
  }
}

/** A token with these members and any signature, as an attacker may write it. */
export function writeJwt(header: object, payload: object, signature = 'AAAA'): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(payload)}.${signature}`
}
