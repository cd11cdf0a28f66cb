// Public keys of ApiKeys, at most three per key: the current one, its successor, and a spare.
import { type KeyObject, createPublicKey, hash, randomUUID } from 'node:crypto'
import { AccountsRefusal, type RefusalReason, quote } from './account-rules.ts'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import { findKeySettings } from '../../tables/api-keys.ts'
import { deletePublicKey, insertPublicKey, listPublicKeysOf } from '../../tables/public-keys.ts'

/** RFC 7518 3.1: RSASSA-PKCS1-v1_5 or ECDSA on P-256, both with SHA-256. */
type JwtAlgorithm = 'RS256' | 'ES256'

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

/** Throws AccountsRefusal `bad_public_key`: a private key, another algorithm, RSA below 2048 bits, or no key. */
export function parsePublicKey(text: string): ParsedPublicKey {
  if (text.length > textCharsMax) throw unfitKey(`has more than ${textCharsMax} characters`)
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
  // Never show the text: it may be a secret in the wrong place.
  if (text.includes('PRIVATE KEY')) throw privateRefusal()
  if (!pemForm.test(text)) {
    throw unfitKey('must be PEM from -----BEGIN PUBLIC KEY----- to its end, or a JWK')
  }
  return read(() => createPublicKey(text))
}

function fromJwk(text: string): KeyObject {
  let jwk: Readonly<Record<string, unknown>>
  try {
    jwk = JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw unfitKey('is no JSON', cause)
  }
  if (secretMembers.some((name) => Object.hasOwn(jwk, name))) throw privateRefusal()
  const { use, alg } = jwk
  if (use !== undefined && use !== 'sig') throw unfitKey('is a JWK for another use than "sig"')
  const key = read(() => createPublicKey({ key: jwk, format: 'jwk' }))
  if (alg !== undefined && alg !== algorithmOf(key)) {
    throw unfitKey(`is a JWK for another algorithm than ${algorithmOf(key)}`)
  }
  return key
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): JwtAlgorithm {
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails.namedCurve === ecCurve) return 'ES256'
  if (asymmetricKeyType !== 'rsa') {
    throw unfitKey('must be an RSA key (RS256) or an EC key on P-256 (ES256)')
  }
  const bits = asymmetricKeyDetails.modulusLength ?? 0
  if (bits >= rsaBits.least && bits <= rsaBits.most) return 'RS256'
  throw unfitKey(`has ${bits} bits: an RSA key needs ${rsaBits.least} to ${rsaBits.most}`)
}

function read(create: () => KeyObject): KeyObject {
  try {
    return create()
  } catch (cause) {
    throw unfitKey('cannot be read as a public key', cause)
  }
}

function privateRefusal(): AccountsRefusal {
  return unfitKey(
    'is a private key: add its public key, and store the private key with the signer only',
  )
}

function unfitKey(problem: string, cause?: unknown): AccountsRefusal {
  return new AccountsRefusal('bad_public_key', `the key ${problem}`, { cause })
}

export type JwtPublicKey = {
  /** The `kid` in the header of JWTs. */
  readonly id: string
  readonly name: string
  readonly algorithm: JwtAlgorithm
  /** base64 of the SHA-256 of the key's DER. */
  readonly fingerprint: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
}

/** `keyId`: of the ApiKey. Throws AccountsRefusal with a message for the caller. */
export type JwtPublicKeys = {
  /** Oldest first. */
  list(keyId: string): Promise<readonly JwtPublicKey[]>
  /** `text`: PEM (SPKI) or JWK. `id`: the name that existing tokens use; generated if absent. */
  add(
    keyId: string,
    fresh: { readonly name?: string; readonly text: string; readonly id?: string },
  ): Promise<JwtPublicKey>
  /** Removes a key by its `kid`. Tokens signed with it are refused from then on. */
  remove(keyId: string, id: string): Promise<void>
}

const publicKeysMax = 3
const nameCharsMax = 64
const idForm = /^[A-Za-z0-9_-]{1,64}$/

export function createJwtPublicKeys(parts: {
  readonly rows: Rows
  readonly clock: Clock
}): JwtPublicKeys {
  const { rows, clock } = parts

  async function list(keyId: string): Promise<readonly JwtPublicKey[]> {
    const found = await rows.find(listPublicKeysOf(keyId))
    return found.map(({ spki, ...rest }) => ({ ...rest, fingerprint: fingerprintOf(spki) }))
  }

  async function whyNot(keyId: string, id: string, fingerprint: string): Promise<AccountsRefusal> {
    if ((await rows.first(findKeySettings(keyId))) === null) {
      return refusal('no_key', `no key has the id ${quote(keyId)}`)
    }
    const existing = await list(keyId)
    const same = existing.find((key) => key.fingerprint === fingerprint)
    if (same !== undefined) {
      return refusal('bad_public_key', `the key has this public key already, its id is ${same.id}`)
    }
    return existing.some((key) => key.id === id)
      ? refusal('bad_public_key', 'the key has another public key with this id')
      : refusal('bad_public_key', `a key has at most ${publicKeysMax} public keys: remove one`)
  }

  return {
    list,

    async add(keyId, { name = '', text, id = randomUUID() }) {
      if (!idForm.test(id)) {
        throw refusal('bad_name', "a public key's id has 1 to 64 of the characters A-Z a-z 0-9 _ -")
      }
      if (name.length > nameCharsMax) {
        throw refusal('bad_name', `a public key's name has at most ${nameCharsMax} characters`)
      }
      const { algorithm, spki } = parsePublicKey(text)
      const created = clock.now()
      const row = { key_id: keyId, id, name, algorithm, spki, created }
      const fingerprint = fingerprintOf(spki)
      try {
        await rows.write([insertPublicKey(row, publicKeysMax)])
      } catch (cause) {
        throw cause instanceof NothingChanged ? await whyNot(keyId, id, fingerprint) : cause
      }
      return { id, name, algorithm, fingerprint, created }
    },

    async remove(keyId, id) {
      try {
        await rows.write([deletePublicKey(keyId, id)])
      } catch (cause) {
        if (!(cause instanceof NothingChanged)) throw cause
        throw refusal('no_public_key', `the key has no public key with the id ${quote(id)}`)
      }
    },
  }
}

function refusal(reason: RefusalReason, why: string): AccountsRefusal {
  return new AccountsRefusal(reason, why)
}
