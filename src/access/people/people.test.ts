import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentityRig, goodPassword, testClient } from '../../../test/fakes/people/identity.ts'
import { AccountsRefusal, type RefusalReason } from '../accounts/account-rules.ts'

const refused = (reason: RefusalReason) => (error: unknown) =>
  error instanceof AccountsRefusal && error.reason === reason

test('people are found by id and by email however it is written, and listed by email', async () => {
  const { people, addPerson } = createIdentityRig()
  const { id } = await addPerson('Grace@Example.org')
  await addPerson('ada@example.org', { role: 'operator' })
  assert.deepEqual(await people.find(id), await people.findByEmail('GRACE@example.org'))
  assert.deepEqual(
    (await people.list()).map(({ email, isOperator }) => [email, isOperator]),
    [
      ['ada@example.org', true],
      ['grace@example.org', false],
    ],
  )
  assert.deepEqual(
    (await people.list({ after: 'ada@example.org', limit: 1 })).map(({ email }) => email),
    ['grace@example.org'],
  )
  assert.equal(await people.find('unknown'), null)
  await assert.rejects(people.get('unknown'), refused('no_person'))
})

test('a password is stored as an argon2id string alone', async () => {
  const { db, addPerson } = createIdentityRig()
  await addPerson('ada@example.org')
  const stored = JSON.stringify(db.all('SELECT * FROM person'))
  assert.match(stored, /\$argon2id\$v=19\$/)
  assert.ok(!stored.includes(goodPassword))
})

test('a new password ends every other session, and the old password is refused', async () => {
  const { people, signIn, sessions, tokenAuthenticator, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const retained = await signIn.enter(id, testClient)
  const other = await signIn.enter(id, testClient)
  await people.setPassword(id, 'another stone on it', retained.session.id)
  assert.equal((await tokenAuthenticator.findSession(retained.token))?.person.id, id)
  assert.equal(await tokenAuthenticator.findSession(other.token), null)
  assert.equal((await sessions.list(id)).length, 1)
  const old = { email: 'ada@example.org', password: goodPassword }
  await assert.rejects(signIn.signIn(old, testClient), /wrong email or password/)
  await signIn.signIn({ ...old, password: 'another stone on it' }, testClient)
  await assert.rejects(people.setPassword(id, 'password123', null), refused('bad_password'))
})

test('disabling a person immediately blocks sessions and tokens, and enabling restores the tokens', async () => {
  const { people, signIn, tokens, tokenAuthenticator, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { token } = await signIn.enter(id, testClient)
  const order = { name: 'ci', role: 'member' as const, expires: null }
  const { text } = await tokens.create({ id, may: 'member' }, order)
  await people.setDisabled(id, true)
  assert.equal(await tokenAuthenticator.findSession(token), null)
  assert.equal(await tokenAuthenticator.findToken(text), null)
  await assert.rejects(signIn.enter(id, testClient), refused('no_person'))
  await people.setDisabled(id, false)
  assert.equal(await tokenAuthenticator.findSession(token), null)
  assert.equal((await tokenAuthenticator.findToken(text))?.person.id, id)
})

test('the last operator who can sign in cannot be removed', async () => {
  const { people, addPerson } = createIdentityRig()
  const { id: ada } = await addPerson('ada@example.org', { role: 'operator' })
  const { id: grace } = await addPerson('grace@example.org', { role: 'operator' })
  await people.setDisabled(grace, true)
  await assert.rejects(people.setDisabled(ada, true), refused('last_operator'))
  await assert.rejects(people.setOperator(ada, false), refused('last_operator'))
  await people.setDisabled(grace, false)
  await people.setOperator(ada, false)
  assert.equal((await people.get(ada)).isOperator, false)
  assert.equal(await people.hasOperator(), true)
})

test('if two operators demote or disable each other concurrently, one stays', async () => {
  for (const change of ['setOperator', 'setDisabled'] as const) {
    const { people, addPerson } = createIdentityRig()
    const { id: ada } = await addPerson('ada@example.org', { role: 'operator' })
    const { id: grace } = await addPerson('grace@example.org', { role: 'operator' })
    const changed = await Promise.allSettled(
      [ada, grace].map((id) => people[change](id, change === 'setDisabled')),
    )
    assert.deepEqual(changed.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.equal(await people.hasOperator(), true, change)
  }
})

test('a name has one line and is not empty', async () => {
  const { people, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  await people.rename(id, ' Ada Lovelace ')
  assert.equal((await people.get(id)).name, 'Ada Lovelace')
  for (const bad of ['', ' ', 'a\nb', 'a\u001b[31m', 'x'.repeat(101)]) {
    await assert.rejects(people.rename(id, bad), refused('bad_name'))
  }
  await assert.rejects(people.rename('unknown', 'x'), refused('no_person'))
})
