import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createIdentityRig, goodPassword, testClient } from '../../../test/fakes/people/identity.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { createPasswords } from './passwords.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'

const fault = (code: FaultCode) => (error: unknown) => error instanceof Fault && error.code === code
const ada = { email: 'ada@example.org', password: goodPassword }

test('an unknown email, a wrong password and a disabled person get the same reply', async () => {
  const { signIn, people, addPerson } = createIdentityRig()
  await addPerson(ada.email)
  const { id } = await addPerson('gone@example.org')
  await people.setDisabled(id, true)
  const answers = await Promise.all(
    [
      { ...ada, email: 'unknown@example.org' },
      { ...ada, password: 'something else' },
      { ...ada, email: 'gone@example.org' },
    ].map((order) =>
      signIn.signIn(order, testClient).catch((error: Fault) => [error.code, error.message]),
    ),
  )
  for (const answer of answers) {
    assert.deepEqual(answer, ['bad_sign_in', 'wrong email or password'])
  }
})

test('each of them costs one hash of a password, as a right one does', async () => {
  const clock = createManualClock()
  const passwords = createPasswords({
    argon2Cost: { memory: 64, passes: 1, parallelism: 1 },
  })
  let hashes = 0
  const { signIn, people, addPerson } = createIdentityRig(':memory:', clock, {
    passwords: {
      ...passwords,
      matches(password, stored, place) {
        hashes++
        return passwords.matches(password, stored, place)
      },
    },
  })
  await addPerson(ada.email)
  const { id } = await addPerson('gone@example.org')
  await people.setDisabled(id, true)
  for (const order of [
    ada,
    { ...ada, email: 'unknown@example.org' },
    { ...ada, email: 'no address at all' },
    { ...ada, password: 'something else' },
    { ...ada, email: 'gone@example.org' },
    { ...ada, email: 'gone@example.org', password: 'something else' },
  ]) {
    hashes = 0
    await signIn.signIn(order, testClient).catch(() => null)
    assert.equal(hashes, 1, order.email)
  }
})

test('an email is typed in capitals and with space around it', async () => {
  const { signIn, addPerson } = createIdentityRig()
  await addPerson(ada.email)
  await signIn.signIn({ ...ada, email: ' Ada@Example.ORG ' }, testClient)
})

test('eleven wrong passwords shut the door to the twelfth, right or wrong, for a minute', async () => {
  const { signIn, clock, addPerson } = createIdentityRig()
  await addPerson(ada.email)
  for (let n = 0; n < 10; n++) {
    const from = { ...testClient, address: `198.51.100.${n}` }
    await assert.rejects(signIn.signIn({ ...ada, password: 'wrong' }, from), fault('bad_sign_in'))
  }
  await assert.rejects(
    signIn.signIn(ada, { ...testClient, address: '203.0.113.1' }),
    fault('over_rate'),
  )
  clock.advance(60_000)
  await signIn.signIn(ada, { ...testClient, address: '203.0.113.1' })
})

test('unknown emails are rate-limited like known ones', async () => {
  const { signIn } = createIdentityRig()
  for (let n = 0; n < 10; n++) {
    const from = { ...testClient, address: `198.51.100.${n}` }
    await assert.rejects(signIn.signIn(ada, from), fault('bad_sign_in'))
  }
  await assert.rejects(
    signIn.signIn(ada, { ...testClient, address: '203.0.113.1' }),
    fault('over_rate'),
  )
})

test('guesses of a code are wrong tries too', async () => {
  const { signIn, secondFactor, db, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  await secondFactor.enrol(id, 'Cairn')
  db.run('UPDATE person SET totp = totp_new')
  for (let n = 0; n < 10; n++) {
    await assert.rejects(
      signIn.signIn({ ...ada, code: '000000' }, testClient),
      fault('bad_sign_in'),
    )
  }
  await assert.rejects(signIn.signIn({ ...ada, code: '000000' }, testClient), fault('over_rate'))
})

test('the log lists failures with the address, if addresses are stored, and without any typed text', async () => {
  const lines: unknown[] = []
  const { signIn, settings, addPerson } = createIdentityRig(':memory:', createManualClock(), {
    log: (...line) => lines.push(line),
  })
  await addPerson(ada.email)
  const typed = { email: 'a password in the wrong place', password: 'planted' }
  await assert.rejects(signIn.signIn(typed, testClient))
  settings.keepAddresses = false
  for (let n = 0; n < 10; n++)
    await signIn.signIn({ ...ada, password: 'x' }, testClient).catch(() => 0)
  await assert.rejects(signIn.signIn(ada, testClient), fault('over_rate'))
  assert.deepEqual(lines[0], [
    'warn',
    'sign_in_refused',
    { code: 'bad_sign_in', address: testClient.address },
  ])
  assert.deepEqual(lines.at(-1), ['warn', 'sign_in_refused', { code: 'over_rate' }])
  assert.doesNotMatch(JSON.stringify(lines), /planted|wrong place|ada@/)
})

test('signing in often with the right password is never too often', async () => {
  const { signIn, addPerson } = createIdentityRig()
  await addPerson(ada.email)
  for (let n = 0; n < 30; n++) await signIn.signIn(ada, testClient)
})

test('a password that changed during its check opens no session', async () => {
  const { signIn, sessions, db, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const signing = signIn.signIn(ada, testClient)
  db.run(`UPDATE person SET password = password || 'x'`)
  await assert.rejects(signing, fault('bad_sign_in'))
  assert.deepEqual(await sessions.list(id), [])
})

test('a sensitive change requires the password again, and limits the guesses', async () => {
  const { signIn, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const person = { id, session: 'one' }
  await signIn.confirm(person, goodPassword, testClient.address)
  const wrong = (error: unknown) =>
    error instanceof AccountsRefusal && error.reason === 'wrong_password'
  for (let n = 0; n < 10; n++) {
    await assert.rejects(signIn.confirm(person, 'wrong', testClient.address), wrong)
  }
  await assert.rejects(signIn.confirm(person, goodPassword, testClient.address), fault('over_rate'))
  await signIn.confirm({ id, session: 'two' }, goodPassword, testClient.address)
})

test('failed sign-ins lock out no session that is open, and no device that signed in before', async () => {
  const { signIn, devices, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const { id: other } = await addPerson('grace@example.org')
  for (let n = 0; n < 12; n++) {
    const from = { ...testClient, address: `198.51.100.${n}` }
    await assert.rejects(signIn.signIn({ ...ada, password: 'wrong' }, from))
  }
  await assert.rejects(signIn.signIn(ada, testClient), fault('over_rate'))
  const elsewhere = { ...testClient, device: devices.issue(other).token }
  await assert.rejects(signIn.signIn(ada, elsewhere), fault('over_rate'))
  const known = { ...testClient, device: devices.issue(id).token }
  await signIn.signIn(ada, known)
  await signIn.confirm({ id, session: 'one' }, goodPassword, testClient.address)
  for (let n = 0; n < 10; n++) {
    await assert.rejects(signIn.signIn({ ...ada, password: 'x' }, known), fault('bad_sign_in'))
  }
  await assert.rejects(signIn.signIn(ada, known), fault('over_rate'))
})

test('a right password does not wait behind the wrong ones of another address', async () => {
  const { signIn, addPerson } = createIdentityRig()
  await addPerson(ada.email)
  const settled: string[] = []
  const wrong = Array.from({ length: 20 }, async (_, n) => {
    const order = { email: `unknown${n}@example.org`, password: 'wrong' }
    await signIn.signIn(order, { ...testClient, address: '198.51.100.1' }).catch(() => {})
    settled.push('wrong')
  })
  const right = signIn.signIn(ada, testClient).then(() => settled.push('right'))
  await Promise.all([...wrong, right])
  // Attempts that are refused immediately do not count: of the queued ones, it is among the first.
  const waited = settled.slice(settled.indexOf('right'))
  assert.ok(waited.length > 2, settled.join(' '))
})
