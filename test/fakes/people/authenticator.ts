// A WebAuthn Level 2 authenticator and its browser. Tests can make both violate the specification.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encode } from 'cborg'

export type Defects = {
  readonly type?: string
  readonly challenge?: string
  readonly origin?: string
  readonly rpId?: string
  readonly crossOrigin?: boolean
  readonly topOrigin?: string
  readonly flags?: number
  readonly signCount?: number
  /** Overrides the generated client data. */
  readonly clientData?: Uint8Array
  readonly coseKey?: Uint8Array
  readonly credentialId?: Uint8Array
  readonly extensions?: Uint8Array
  readonly format?: string
  readonly statement?: ReadonlyMap<string, unknown>
  readonly personHandle?: Uint8Array
  readonly signature?: Uint8Array
}

type CeremonyOptions = {
  readonly origin: string
  readonly rpId: string
  readonly challenge: string
}

export type FakeAuthenticator = {
  readonly credentialId: Buffer
  readonly publicKey: KeyObject
  make(
    options: CeremonyOptions,
    personHandle: string,
    defects?: Defects,
  ): { readonly clientData: Buffer; readonly attestation: Buffer }
  sign(
    options: CeremonyOptions,
    defects?: Defects,
  ): {
    readonly credentialId: Uint8Array
    readonly clientData: Buffer
    readonly authenticatorData: Buffer
    readonly signature: Uint8Array
    readonly personHandle: Uint8Array
  }
}

export type FakeAlgorithm = 'ES256' | 'EdDSA' | 'RS256'

const userPresent = 1
const userVerified = 4
const withCredential = 0x40
const withExtensions = 0x80

/** `counts`: reports a signature counter, as security keys do; synced passkeys report 0. */
export function createFakeAuthenticator(
  algorithm: FakeAlgorithm = 'ES256',
  { counts = false }: { readonly counts?: boolean } = {},
): FakeAuthenticator {
  const { publicKey, privateKey } = pairs[algorithm]()
  const ownId = randomBytes(32)
  let handle: Buffer = Buffer.alloc(0)
  let count = 0

  function nextCount(): number {
    count += counts ? 1 : 0
    return count
  }

  return {
    credentialId: ownId,
    publicKey,

    make(options, personHandle, defects = {}) {
      handle = Buffer.from(personHandle, 'base64url')
      const { credentialId = ownId, extensions } = defects
      const flags =
        defects.flags ??
        userPresent |
          userVerified |
          withCredential |
          (extensions === undefined ? 0 : withExtensions)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const data = Buffer.concat([
        headOf(defects.rpId ?? options.rpId, flags, defects.signCount ?? nextCount()),
        Buffer.alloc(16),
        length,
        credentialId,
        defects.coseKey ?? encodeCose(coseOf(algorithm, publicKey)),
        extensions ?? Buffer.alloc(0),
      ])
      const attestation = encodeCose(
        new Map<string, unknown>([
          ['fmt', defects.format ?? 'none'],
          ['attStmt', defects.statement ?? new Map()],
          ['authData', data],
        ]),
      )
      return { clientData: clientDataOf('webauthn.create', options, defects), attestation }
    },

    sign(options, defects = {}) {
      const flags = defects.flags ?? userPresent | userVerified
      const authenticatorData = headOf(
        defects.rpId ?? options.rpId,
        flags,
        defects.signCount ?? nextCount(),
      )
      const clientData = clientDataOf('webauthn.get', options, defects)
      const signed = Buffer.concat([
        authenticatorData,
        createHash('sha256').update(clientData).digest(),
      ])
      const hash = algorithm === 'EdDSA' ? null : 'sha256'
      return {
        credentialId: defects.credentialId ?? ownId,
        clientData,
        authenticatorData,
        signature: defects.signature ?? sign(hash, signed, privateKey),
        personHandle: defects.personHandle ?? handle,
      }
    },
  }
}

/** Encodes maps unchanged, with keys of any type. */
export function encodeCose(map: ReadonlyMap<unknown, unknown>): Buffer {
  return Buffer.from(encode(map))
}

export function coseOf(algorithm: FakeAlgorithm, key: KeyObject): Map<number, unknown> {
  const jwk = key.export({ format: 'jwk' })
  const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'))
  switch (algorithm) {
    case 'ES256':
      return new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(jwk.x)],
        [-3, bytes(jwk.y)],
      ])
    case 'EdDSA':
      return new Map<number, unknown>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes(jwk.x)],
      ])
    case 'RS256':
      return new Map<number, unknown>([
        [1, 3],
        [3, -257],
        [-1, bytes(jwk.n)],
        [-2, bytes(jwk.e)],
      ])
  }
}

const pairs = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const

function headOf(rpId: string, flags: number, signCount: number): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags)
  tail.writeUInt32BE(signCount, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), tail])
}

function clientDataOf(type: string, options: CeremonyOptions, defects: Defects): Buffer {
  const { origin, challenge, crossOrigin = false, topOrigin } = { ...options, ...defects }
  const clientData = { type: defects.type ?? type, challenge, origin, crossOrigin, topOrigin }
  return Buffer.from(defects.clientData ?? JSON.stringify(clientData))
}
