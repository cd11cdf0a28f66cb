import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentityRig, dayMs } from '../../../test/fakes/people/identity.ts'
import { AccountsRefusal, type RefusalReason } from '../accounts/account-rules.ts'

const refused = (reason: RefusalReason) => (error: unknown) =>
  error instanceof AccountsRefusal && error.reason === reason
const plain = { name: 'ci', role: 'owner', expires: null } as const

test('a token is shown once, stored as a hash, and lists its creator', async () => {
  const { tokens, tokenAuthenticator, db, addPerson } = createIdentityRig()
  const { id, account } = await addPerson('ada@example.org', { role: 'owner' })
  const { token, text } = await tokens.create({ id, may: 'owner' }, plain)
  assert.match(text, /^cairnt_live_[0-9A-Za-z]{36}$/)
  assert.equal(token.prefix, text.slice(12, 20))
  assert.ok(!JSON.stringify(db.all('SELECT * FROM token')).includes(text))
  const found = await tokenAuthenticator.findToken(text)
  assert.equal(found?.person.email, 'ada@example.org')
  assert.equal(found?.roles.get(account), 'owner')
  assert.deepEqual(found?.by, { kind: 'token', id: token.id })
  assert.deepEqual((await tokens.list(id))[0], { ...token, lastUsedDay: '2026-01-01' })
})

test('a token is never more than its person is now', async () => {
  const { tokens, people, memberships, tokenAuthenticator, addPerson } = createIdentityRig()
  const { id, account } = await addPerson('ada@example.org', { role: 'operator' })
  await addPerson('grace@example.org', { role: 'operator', account })
  const { text } = await tokens.create({ id, may: 'operator' }, { ...plain, role: 'operator' })
  const lesser = await tokens.create({ id, may: 'operator' }, plain)
  const least = await tokens.create({ id, may: 'operator' }, { ...plain, role: 'member' })
  assert.equal((await tokenAuthenticator.findToken(text))?.isOperator, true)
  assert.equal((await tokenAuthenticator.findToken(lesser.text))?.isOperator, false)
  assert.equal((await tokenAuthenticator.findToken(least.text))?.roles.get(account), 'member')
  await people.setOperator(id, false)
  await memberships.changeRole(account, id, 'member')
  assert.equal((await tokenAuthenticator.findToken(text))?.isOperator, false)
  assert.equal((await tokenAuthenticator.findToken(lesser.text))?.roles.get(account), 'member')
  const above = tokens.create({ id, may: 'member' }, plain)
  await assert.rejects(above, refused('bad_role'))
})

test('a token ends at its instant or when it is revoked, by its own person only', async () => {
  const { tokens, tokenAuthenticator, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { id: grace } = await addPerson('grace@example.org')
  const member = { ...plain, role: 'member' } as const
  const expires = clock.now() + 1000
  const short = await tokens.create({ id, may: 'member' }, { ...member, expires })
  const { token, text } = await tokens.create({ id, may: 'member' }, member)
  clock.advance(999)
  assert.ok(await tokenAuthenticator.findToken(short.text))
  clock.advance(1)
  await assert.rejects(
    tokenAuthenticator.findToken(short.text),
    /^Fault: this token expired on \d{4}-\d\d-\d\d: create a new one/,
  )
  await assert.rejects(tokens.revoke(token.id, grace), refused('no_token'))
  await tokens.revoke(token.id, id)
  assert.equal(await tokenAuthenticator.findToken(text), null)
  await assert.rejects(tokens.revoke(token.id, id), refused('no_token'))
  const past = tokens.create({ id, may: 'member' }, { ...member, expires: clock.now() })
  await assert.rejects(past, refused('bad_setting'))
})

test('the settings give the usual and the longest lifetime of a token', async () => {
  const { tokens, clock, settings, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const expiryOf = async (order: { expires?: number | null }) => {
    const { expires: _, ...unset } = plain
    const made = await tokens.create({ id, may: 'member' }, { ...unset, role: 'member', ...order })
    return made.token.expires === null ? null : (made.token.expires - clock.now()) / dayMs
  }
  assert.deepEqual([await expiryOf({}), await expiryOf({ expires: null })], [90, null])
  settings.token = { ms: 90 * dayMs, msMax: 30 * dayMs }
  assert.deepEqual([await expiryOf({}), await expiryOf({ expires: null })], [30, 30])
  assert.equal(await expiryOf({ expires: clock.now() + 7 * dayMs }), 7)
  // The browser's clock is a minute ahead.
  assert.equal(await expiryOf({ expires: clock.now() + 30 * dayMs + 60_000 }), 30)
  await assert.rejects(
    expiryOf({ expires: clock.now() + 31 * dayMs }),
    /within 30 days \(setting admin\.tokenDaysMax\)/,
  )
})

test('a person has fifty tokens that work at most; revoked ones make room', async () => {
  const { tokens, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const member = { ...plain, role: 'member' } as const
  const made = []
  for (let n = 0; n < 50; n++) made.push(await tokens.create({ id, may: 'member' }, member))
  await assert.rejects(tokens.create({ id, may: 'member' }, member), refused('too_many'))
  await tokens.revoke(made[0]?.token.id ?? '', id)
  await tokens.create({ id, may: 'member' }, member)
  assert.equal((await tokens.list(id)).length, 51)
  await tokens.revoke(made[1]?.token.id ?? '', id)
  clock.advance(91 * dayMs)
  await tokens.create({ id, may: 'member' }, member)
  assert.equal((await tokens.list(id)).length, 50)
})

test('a token with a changed letter is refused without a database lookup', async () => {
  const { tokens, tokenAuthenticator, db, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { text } = await tokens.create({ id, may: 'member' }, { ...plain, role: 'member' })
  const last = text.endsWith('a') ? 'b' : 'a'
  const changed = text.slice(0, -1) + last
  db.close()
  assert.equal(await tokenAuthenticator.findToken(changed), null)
})
