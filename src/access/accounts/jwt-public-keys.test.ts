import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { mirrored } from '../../../test/fakes/mirrored-rows.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { AccountsRefusal } from './account-rules.ts'
import { createAccounts } from './accounts.ts'
import { createJwtPublicKeys, fingerprintOf, parsePublicKey } from './jwt-public-keys.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const jwk = (key: KeyObject, more: object = {}) =>
  JSON.stringify({ ...key.export({ format: 'jwk' }), ...more })

const refused = (text: RegExp) => (error: unknown) =>
  error instanceof AccountsRefusal && text.test(error.message)

async function createRig() {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock()
  const parts = { rows: mirrored(createSqliteRows(db, createInlineWriter(db))), clock }
  const accounts = createAccounts(parts)
  await accounts.createAccount('acme')
  const { apiKey } = await accounts.createKey('acme')
  return { accounts, clock, id: apiKey.id, publicKeys: createJwtPublicKeys(parts) }
}

test('one key in PEM and as a JWK is the same key, and its kind decides the algorithm', () => {
  for (const [{ publicKey }, algorithm] of [
    [rsa, 'RS256'],
    [ec(), 'ES256'],
  ] as const) {
    const fromPem = parsePublicKey(pem(publicKey))
    assert.equal(fromPem.algorithm, algorithm)
    assert.deepEqual(parsePublicKey(jwk(publicKey, { use: 'sig', alg: algorithm })), fromPem)
    assert.deepEqual(parsePublicKey(`\r\n${pem(publicKey).replaceAll('\n', '\r\n')}`), fromPem)
  }
})

test('a fingerprint is that of openssl: base64 of the SHA-256 of the DER', () => {
  // openssl ec -in private.pem -pubout -outform DER | openssl sha256 -binary | openssl base64
  const text = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAETRlHCxeoOI7AJiYMswb1wIfQsaAV
pR/+2TONPi5ObVCRCCpwwUZmyOyBCVgo+JxLFVV+v71Lx9d5N4J2Oo3tnw==
-----END PUBLIC KEY-----`
  assert.equal(
    fingerprintOf(parsePublicKey(text).spki),
    '4ylbZcYGzL9SL9KrHLzYROuQ3CuVM5fEZHtBQFhssKM=',
  )
})

test('private keys, weak keys, other algorithms and other texts are refused without revealing their content', () => {
  const { privateKey, publicKey } = ec()
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).publicKey
  const cases: readonly (readonly [text: string, why: RegExp])[] = [
    [privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /is a private key/],
    [privateKey.export({ type: 'sec1', format: 'pem' }).toString(), /is a private key/],
    [jwk(privateKey), /is a private key/],
    [jwk(rsa.privateKey), /is a private key/],
    [JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }), /is a private key/],
    [pem(weak), /has 1024 bits/],
    [pem(p384), /EC key on P-256/],
    [pem(generateKeyPairSync('ed25519').publicKey), /EC key on P-256/],
    [jwk(publicKey, { use: 'enc' }), /another use/],
    [jwk(publicKey, { alg: 'RS256' }), /another algorithm than ES256/],
    [jwk(publicKey, { x: 'AAAA' }), /cannot be read/],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /cannot be read/],
    [`${pem(publicKey)}${pem(publicKey)}`, /must be PEM/],
    ['{', /is no JSON/],
    ['', /must be PEM/],
    ['ssh-ed25519 AAAAC3', /must be PEM/],
    [' '.repeat(9_000), /8192 characters/],
  ]
  for (const [text, why] of cases) assert.throws(() => parsePublicKey(text), refused(why), text)
})

test('a key has three public keys at most, each once, and one that was removed makes room', async () => {
  const { id, publicKeys, clock } = await createRig()
  const first = pem(ec().publicKey)
  const made = await publicKeys.add(id, { name: 'signer', text: first })
  assert.match(made.id, /^[0-9a-f-]{36}$/)
  assert.equal(made.fingerprint.length, 44)
  await assert.rejects(publicKeys.add(id, { text: first }), refused(/already, its id is/))
  for (let n = 0; n < 2; n++) {
    clock.advance(1)
    await publicKeys.add(id, { text: pem(ec().publicKey) })
  }
  await assert.rejects(publicKeys.add(id, { text: pem(rsa.publicKey) }), refused(/at most 3/))
  assert.equal((await publicKeys.list(id)).length, 3)
  assert.deepEqual((await publicKeys.list(id))[0], made)
  await publicKeys.remove(id, made.id)
  await assert.rejects(publicKeys.remove(id, made.id), refused(/no public key with the id/))
  clock.advance(1)
  await publicKeys.add(id, { text: pem(rsa.publicKey) })
  assert.deepEqual(
    (await publicKeys.list(id)).map(({ algorithm }) => algorithm),
    ['ES256', 'ES256', 'RS256'],
  )
})

test('a public key keeps the id that tokens of another service name it by', async () => {
  const { id, publicKeys } = await createRig()
  const kid = '42f5184e315e40d4b79325778691093a'
  const made = await publicKeys.add(id, { id: kid, text: pem(rsa.publicKey) })
  assert.equal(made.id, kid)
  const other = { id: kid, text: pem(ec().publicKey) }
  await assert.rejects(publicKeys.add(id, other), refused(/another public key with this id/))
  for (const bad of ['', 'a b', 'x'.repeat(65), '../x']) {
    await assert.rejects(publicKeys.add(id, { ...other, id: bad }), refused(/1 to 64 of/))
  }
})

test('public keys belong to one API key, and an unknown one is refused with a reason', async () => {
  const { accounts, id, publicKeys } = await createRig()
  const other = await accounts.createKey('acme')
  const made = await publicKeys.add(id, { text: pem(ec().publicKey) })
  assert.deepEqual(await publicKeys.list(other.apiKey.id), [])
  await assert.rejects(publicKeys.remove(other.apiKey.id, made.id), refused(/no public key/))
  const text = pem(ec().publicKey)
  await assert.rejects(publicKeys.add('unknown', { text }), refused(/no key has the id/))
  await assert.rejects(publicKeys.add(id, { name: 'x'.repeat(65), text }), refused(/at most 64/))
})

test('the successor of a rotated key has its public keys, under the same ids', async () => {
  const { accounts, id, publicKeys } = await createRig()
  await publicKeys.add(id, { name: 'signer', text: pem(ec().publicKey) })
  const { apiKey } = await accounts.rotateKey(id, 0)
  assert.deepEqual(await publicKeys.list(apiKey.id), await publicKeys.list(id))
  assert.equal((await publicKeys.list(id)).length, 1)
})
