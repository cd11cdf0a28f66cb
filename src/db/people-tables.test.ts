import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentityRig, testClient } from '../../test/fakes/people/identity.ts'

test('the revision rises when rights change, and not when a person is merely seen', async () => {
  const { db, people, memberships, sessions, signIn, tokens, addPerson } = createIdentityRig()
  const revision = () =>
    db.getValue<number>(`SELECT number FROM revision WHERE name = 'people'`) ?? 0
  const rises = async (change: () => Promise<unknown>) => {
    const before = revision()
    await change()
    return revision() > before
  }
  const { id, account } = await addPerson('ada@example.org', { role: 'owner' })
  await addPerson('grace@example.org', { role: 'owner', account })
  const { session } = await signIn.enter(id, testClient)
  const order = { name: 'ci', role: 'member' as const, expires: null }
  const { token } = await tokens.create({ id, may: 'owner' }, order)
  assert.equal(await rises(() => memberships.changeRole(account, id, 'member')), true)
  assert.equal(await rises(() => tokens.revoke(token.id, id)), true)
  assert.equal(await rises(() => people.setDisabled(id, true)), true)
  assert.equal(await rises(() => people.setDisabled(id, false)), true)
  assert.equal(await rises(() => signIn.enter(id, testClient)), false)
  assert.equal(await rises(() => sessions.endOthers(id, null)), true)
  const seen = async () => db.run('UPDATE session SET last_seen = 1 WHERE id = ?', [session.id])
  assert.equal(await rises(seen), false)
  assert.equal(await rises(async () => db.run('UPDATE person SET totp_step = 9')), false)
})
