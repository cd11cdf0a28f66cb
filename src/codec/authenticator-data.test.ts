import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomInt } from 'node:crypto'
import { test } from 'node:test'
import {
  coseOf,
  createFakeAuthenticator,
  encodeCose,
  type Wrongs,
} from '../../test/fakes/authenticator.ts'
import { seeded } from '../../test/fakes/seeded.ts'
import { decodeAttestation, decodeAuthenticatorData } from './authenticator-data.ts'
import { decodeCborMap } from './cbor.ts'
import { decodeCoseKey } from './cose-key.ts'
import { Malformed } from './malformed.ts'

const place = { origin: 'https://a.example', rpId: 'a.example', challenge: 'AAAA' }

function attestation(wrongs: Wrongs = {}): Buffer {
  return createFakeAuthenticator('ES256').make(place, 'AA', wrongs).attestation
}

test('an attestation gives the credential, its key, the flags and the count', () => {
  const authenticator = createFakeAuthenticator('ES256')
  const made = authenticator.make(place, 'AA', { signCount: 0x01020304 })
  const { credential, ...rest } = decodeAttestation(made.attestation)
  assert.deepEqual(Buffer.from(credential?.id ?? []), authenticator.credentialId)
  assert.equal(credential?.key.algorithm, -7)
  assert.equal(rest.signCount, 0x01020304)
  assert.deepEqual([rest.userPresent, rest.userVerified], [true, true])
  const signed = decodeAuthenticatorData(authenticator.sign(place, { flags: 1 }).authenticatorData)
  assert.deepEqual([signed.userPresent, signed.userVerified], [true, false])
  assert.equal(signed.credential, null)
})

test('the example key of RFC 9053 in the spelling of CBOR is read as its JWK', () => {
  // RFC 9052, appendix C.7.1, the key `meriadoc.brandybuck@buckland.example`, with the algorithm that a passkey must say.
  const x = '65eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d'
  const y = '1e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19c'
  const bytes = Buffer.from(`a501020326200121 5820${x} 225820${y}`.replaceAll(' ', ''), 'hex')
  const { map, rest } = decodeCborMap(bytes)
  assert.equal(rest.length, 0)
  const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
  assert.deepEqual(decodeCoseKey(map), {
    algorithm: -7,
    jwk: { kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y) },
  })
})

test('an RSA key has 2048 bits or more', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  assert.throws(() => decodeCoseKey(coseOf('RS256', publicKey)), /256 to 1024 bytes/)
})

test('an RSA key is of no fewer bits for zeros in front of it, and of no exponent that signs for everybody', () => {
  const of = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey
  const longer = (key: KeyObject) => {
    const short = coseOf('RS256', key).get(-1) as Uint8Array
    return Buffer.concat([Buffer.alloc(256 - short.length), short])
  }
  const whole = coseOf('RS256', of(2048))
  const even = Buffer.from(whole.get(-1) as Uint8Array)
  even[255] = 2
  const wrong: readonly (readonly [what: string, label: number, value: Uint8Array])[] = [
    ['512 bits', -1, longer(of(512))],
    ['zeros alone', -1, new Uint8Array(256)],
    ['an even modulus', -1, even],
    ['the exponent 1', -2, Uint8Array.of(1)],
    ['the exponent 1 in four bytes', -2, Uint8Array.of(0, 0, 0, 1)],
    ['an even exponent', -2, Uint8Array.of(4)],
    ['no exponent', -2, Uint8Array.of(0)],
  ]
  for (const [what, name, value] of wrong) {
    assert.throws(() => decodeCoseKey(new Map(whole).set(name, value)), Malformed, what)
  }
  assert.equal(decodeCoseKey(whole).algorithm, -257)
})

test('CBOR that is no map, is left open, repeats a key, nests without end or is too long is malformed', () => {
  const wrong: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ['nothing', Buffer.alloc(0)],
    ['a number', Buffer.from([1])],
    ['a list', Buffer.from([0x80])],
    ['a break', Buffer.from([0xff])],
    ['a map left open', Buffer.from([0xbf, 0xff])],
    ['a text left open', Buffer.from([0xa1, 0x01, 0x7f, 0xff])],
    ['a key twice', Buffer.from([0xa2, 1, 1, 1, 2])],
    ['a map that is cut', Buffer.from([0xa2, 1, 1])],
    ['a length past the end', Buffer.from([0xa1, 1, 0x5b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
    ['a count past the end', Buffer.from([0xbb, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
    ['a tag', Buffer.from([0xa1, 1, 0xc1, 1])],
    ['lists in lists', Buffer.concat([Buffer.from([0xa1, 1]), Buffer.alloc(16_382, 0x81)])],
    ['maps in maps', Buffer.alloc(16_384, 0xa1)],
    ['too many bytes', Buffer.alloc(16_385, 0xa0)],
  ]
  for (const [what, bytes] of wrong) {
    assert.throws(() => decodeCborMap(bytes), Malformed, what)
  }
})

test('an attestation without its members, cut, or with bytes left over is malformed', () => {
  const whole = attestation()
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => decodeAttestation(whole.subarray(0, length)), Malformed, `${length}`)
  }
  const more = (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from([0])])
  assert.throws(() => decodeAttestation(more(whole)), Malformed)
  const parts = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', Buffer.alloc(37)],
  ])
  for (const name of parts.keys()) {
    const without = new Map([...parts].filter(([one]) => one !== name))
    assert.throws(() => decodeAttestation(encodeCose(without)), Malformed, name)
  }
  assert.equal(decodeAttestation(encodeCose(parts)).credential, null)
  const { authenticatorData } = createFakeAuthenticator('ES256').sign(place)
  assert.throws(() => decodeAuthenticatorData(more(authenticatorData)), Malformed)
})

test('any bytes are read, or are malformed, and nothing else', () => {
  const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
  const random = seeded(seed)
  const whole = attestation({ extensions: encodeCose(new Map([['a', [1, true, 'b']]])) })
  for (let round = 0; round < 3_000; round += 1) {
    const bytes = Buffer.from(whole)
    for (let changes = random(8); changes >= 0; changes -= 1) {
      bytes[random(bytes.length)] = random(256)
    }
    try {
      decodeAttestation(bytes)
    } catch (error) {
      assert.ok(error instanceof Malformed, `seed ${seed}, round ${round}: ${String(error)}`)
    }
  }
})
