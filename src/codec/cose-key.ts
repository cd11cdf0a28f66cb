// The public key of a credential: COSE (RFC 9052 section 7; RFC 9053; RFC 8230 for RSA) to JWK (RFC 7517), for the three
// algorithms that passkeys are asked for.
// Tested by src/codec/authenticator-data.test.ts
import type { CoseAlgorithm } from './cose-algorithms.ts'
import { Malformed } from './malformed.ts'

type CoseJwk =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }

export type CoseKey = { readonly algorithm: CoseAlgorithm; readonly jwk: CoseJwk }

type CoseMap = ReadonlyMap<unknown, unknown>

/** Labels of RFC 9052, 7.1 and RFC 9053, 7.1 and 7.2; those of RSA are other things by the same numbers. */
const label = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2 } as const
const modulusBytes = { min: 256, max: 1024 }
const exponentBytesMax = 4

/** Throws Malformed for another algorithm, a key of another kind than its algorithm, members of another length. */
export function decodeCoseKey(map: CoseMap): CoseKey {
  const algorithm = map.get(label.alg)
  switch (algorithm) {
    case -7:
      expectMember(map, label.kty, 2, 'a key of two coordinates for ES256')
      expectMember(map, label.crv, 1, 'the curve P-256 for ES256')
      return {
        algorithm,
        jwk: {
          kty: 'EC',
          crv: 'P-256',
          x: bytesOf(map, label.x, 32),
          y: bytesOf(map, label.y, 32),
        },
      }
    case -8:
      expectMember(map, label.kty, 1, 'an octet key pair for EdDSA')
      expectMember(map, label.crv, 6, 'the curve Ed25519 for EdDSA')
      return { algorithm, jwk: { kty: 'OKP', crv: 'Ed25519', x: bytesOf(map, label.x, 32) } }
    case -257: {
      expectMember(map, label.kty, 3, 'an RSA key for RS256')
      const n = bytesOf(map, label.n, modulusBytes.min, modulusBytes.max)
      const e = bytesOf(map, label.e, 1, exponentBytesMax)
      expectOdd(map.get(label.n), 'an odd modulus without zeros in front')
      expectOdd(map.get(label.e), 'an odd exponent above 1 without zeros in front')
      return { algorithm, jwk: { kty: 'RSA', n, e } }
    }
    default:
      throw new Malformed('a key for ES256, EdDSA or RS256')
  }
}

function expectMember(map: CoseMap, name: number, value: number, what: string): void {
  if (map.get(name) !== value) throw new Malformed(what)
}

/** Zeros in front would let few bits count as many (RFC 8230, section 4: there are none); 1 signs whatever it is given. */
function expectOdd(bytes: unknown, what: string): void {
  const isSound =
    bytes instanceof Uint8Array &&
    bytes[0] !== 0 &&
    ((bytes.at(-1) ?? 0) & 1) === 1 &&
    !(bytes.length === 1 && bytes[0] === 1)
  if (!isSound) throw new Malformed(what)
}

/** As base64url. */
function bytesOf(map: CoseMap, name: number, min: number, max = min): string {
  const bytes = map.get(name)
  if (!(bytes instanceof Uint8Array) || bytes.length < min || bytes.length > max) {
    throw new Malformed(`${min === max ? min : `${min} to ${max}`} bytes at ${name} of the key`)
  }
  return Buffer.from(bytes).toString('base64url')
}
