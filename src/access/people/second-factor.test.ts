import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP, Secret } from 'otpauth'
import {
  createIdentityRig,
  goodPassword,
  testClient,
  type IdentityRig,
} from '../../../test/fakes/people/identity.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { createSecretEncryption } from './secret-encryption.ts'
import { findTotpStep } from './second-factor.ts'

const fault = (code: FaultCode) => (error: unknown) => error instanceof Fault && error.code === code
const wrongCode = (error: unknown) =>
  error instanceof AccountsRefusal && error.reason === 'wrong_code'
const ada = { email: 'ada@example.org', password: goodPassword }

function codeOf(base32: string, now: number): string {
  return TOTP.generate({ secret: Secret.fromBase32(base32), timestamp: now })
}

async function withTotp(): Promise<
  IdentityRig & { id: string; secret: string; codes: readonly string[] }
> {
  const rig = createIdentityRig()
  const { id } = await rig.addPerson(ada.email)
  const { secret } = await rig.secondFactor.enrol(id, 'Cairn')
  const codes = await rig.secondFactor.confirm(id, codeOf(secret, rig.clock.now()), null)
  // The code of the confirmation has been consumed.
  rig.clock.advance(90_000)
  return { ...rig, id, secret, codes }
}

test('codes are those of RFC 6238, appendix B', () => {
  const secret = new TextEncoder().encode('12345678901234567890')
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [20000000000, '353130'],
  ] as const) {
    assert.equal(findTotpStep(secret, code, seconds * 1000), Math.floor(seconds / 30))
  }
})

test('a code of the step before or after is taken, of two steps away not', () => {
  const secret = new TextEncoder().encode('12345678901234567890')
  const at = 1111111109_000
  for (const [ms, known] of [
    [at - 30_000, true],
    [at + 30_000, true],
    [at + 61_000, false],
    [at - 60_000, false],
  ] as const) {
    assert.equal(findTotpStep(secret, '081804', ms) !== null, known)
  }
  for (const bad of ['', '81804', '0818041', 'abcdef', '０８１８０４']) {
    assert.equal(findTotpStep(secret, bad, at), null)
  }
})

test('an authenticator code is required only after the enrolment was confirmed', async () => {
  const { signIn, secondFactor, people, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const { address, secret } = await secondFactor.enrol(id, 'Cairn')
  assert.match(address, /^otpauth:\/\/totp\/Cairn:ada%40example\.org\?.*secret=/)
  await signIn.signIn(ada, testClient)
  await assert.rejects(secondFactor.confirm(id, '000000', null), wrongCode)
  await secondFactor.confirm(id, codeOf(secret, clock.now()), null)
  assert.equal((await people.get(id)).hasTotp, true)
  await assert.rejects(signIn.signIn(ada, testClient), fault('needs_code'))
  clock.advance(30_000)
  await signIn.signIn({ ...ada, code: codeOf(secret, clock.now()) }, testClient)
})

test('enrolling ends every other session', async () => {
  const { signIn, secondFactor, tokenAuthenticator, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const retained = await signIn.enter(id, testClient)
  const other = await signIn.enter(id, testClient)
  const { secret } = await secondFactor.enrol(id, 'Cairn')
  await secondFactor.confirm(id, codeOf(secret, clock.now()), retained.session.id)
  assert.ok(await tokenAuthenticator.findSession(retained.token))
  assert.equal(await tokenAuthenticator.findSession(other.token), null)
})

test('a code is accepted once: a replay is refused, also of the code that confirmed the setup', async () => {
  const { signIn, secondFactor, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const { secret } = await secondFactor.enrol(id, 'Cairn')
  const first = codeOf(secret, clock.now())
  await secondFactor.confirm(id, first, null)
  await assert.rejects(signIn.signIn({ ...ada, code: first }, testClient), fault('bad_sign_in'))
  clock.advance(60_000)
  const code = codeOf(secret, clock.now())
  await signIn.signIn({ ...ada, code }, testClient)
  await assert.rejects(signIn.signIn({ ...ada, code }, testClient), fault('bad_sign_in'))
  // A code of an earlier step is refused too, though it has not expired.
  const before = codeOf(secret, clock.now() - 30_000)
  await assert.rejects(signIn.signIn({ ...ada, code: before }, testClient), fault('bad_sign_in'))
})

test('of two uses of one code at the same moment one wins', async () => {
  const { secondFactor, id, secret, clock } = await withTotp()
  const code = codeOf(secret, clock.now())
  const uses = await Promise.all([1, 2, 3].map(() => secondFactor.use(id, code)))
  assert.equal(uses.filter(Boolean).length, 1)
})

test('a password alone opens no session if an authenticator is confirmed during its check', async () => {
  const { signIn, secondFactor, sessions, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const { secret } = await secondFactor.enrol(id, 'Cairn')
  const signing = signIn.signIn(ada, testClient)
  await secondFactor.confirm(id, codeOf(secret, clock.now()), null)
  await assert.rejects(signing, fault('bad_sign_in'))
  assert.deepEqual(await sessions.list(id), [])
})

test('of two uses of one recovery code at the same moment one wins', async () => {
  const { secondFactor, id, codes } = await withTotp()
  const uses = await Promise.all([1, 2, 3].map(() => secondFactor.use(id, codes[0] ?? '')))
  assert.equal(uses.filter(Boolean).length, 1)
  assert.equal(await secondFactor.codesLeft(id), 9)
})

test('a code is refused if its authenticator is removed or replaced during the check', async () => {
  for (const replaced of [false, true]) {
    const { secondFactor, id, secret, clock } = await withTotp()
    const fresh = await secondFactor.enrol(id, 'Cairn')
    const early = codeOf(fresh.secret, clock.now() - 30_000)
    const change = replaced ? secondFactor.confirm(id, early, null) : secondFactor.remove(id, null)
    const use = secondFactor.use(id, codeOf(secret, clock.now()))
    await change
    assert.equal(await use, false, replaced ? 'replaced' : 'removed')
  }
})

test('each of ten recovery codes opens once in place of a code, however it is typed', async () => {
  const { signIn, secondFactor, id, codes, db } = await withTotp()
  assert.equal(codes.length, 10)
  const [one = '', two = ''] = codes
  assert.match(one, /^[2-9a-z]{4}-[2-9a-z]{4}-[2-9a-z]{4}$/)
  assert.ok(!JSON.stringify(db.all('SELECT * FROM recovery_code')).includes(one))
  await signIn.signIn({ ...ada, code: one.toUpperCase().replaceAll('-', ' ') }, testClient)
  await assert.rejects(signIn.signIn({ ...ada, code: one }, testClient), fault('bad_sign_in'))
  await signIn.signIn({ ...ada, code: two }, testClient)
  assert.equal(await secondFactor.codesLeft(id), 8)
})

test('after removal of the authenticator the password is sufficient, and codes are ignored', async () => {
  const { signIn, secondFactor, id, people } = await withTotp()
  await secondFactor.remove(id, null)
  assert.equal((await people.get(id)).hasTotp, false)
  assert.equal(await secondFactor.codesLeft(id), 0)
  await signIn.signIn(ada, testClient)
})

test('the secret of an authenticator is stored encrypted', async () => {
  const { db, secret } = await withTotp()
  const { totp } = db.get<{ totp: Uint8Array }>('SELECT totp FROM person') ?? {
    totp: new Uint8Array(),
  }
  assert.equal(Buffer.from(totp).includes(Buffer.from(Secret.fromBase32(secret).bytes)), false)
})

test('an encrypted secret is readable only with the same name and key, and unchanged', () => {
  const seal = createSecretEncryption(() => new Uint8Array(32).fill(1))
  const bytes = new TextEncoder().encode('a secret')
  const sealed = seal.close(bytes, 'ada')
  assert.deepEqual(new Uint8Array(seal.open(sealed, 'ada') ?? []), bytes)
  assert.equal(seal.open(sealed, 'eve'), null)
  assert.equal(createSecretEncryption(() => new Uint8Array(32).fill(2)).open(sealed, 'ada'), null)
  for (const at of sealed.keys()) {
    const changed = Uint8Array.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(seal.open(changed, 'ada'), null)
  }
  assert.equal(seal.open(sealed.subarray(0, 20), 'ada'), null)
})
