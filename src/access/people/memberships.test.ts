import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentityRig, testClient } from '../../../test/fakes/people/identity.ts'
import { AccountsRefusal, type RefusalReason } from '../accounts/account-rules.ts'

const refused = (reason: RefusalReason) => (error: unknown) =>
  error instanceof AccountsRefusal && error.reason === reason

test('an account keeps an owner who can sign in, unless an operator forces the change', async () => {
  const { memberships, people, addPerson } = createIdentityRig()
  const { id: ada, account } = await addPerson('ada@example.org', { role: 'owner' })
  const { id: grace } = await addPerson('grace@example.org', { role: 'owner', account })
  await people.setDisabled(grace, true)
  await assert.rejects(memberships.remove(account, ada), refused('last_owner'))
  await assert.rejects(memberships.changeRole(account, ada, 'member'), refused('last_owner'))
  await people.setDisabled(grace, false)
  await memberships.changeRole(account, ada, 'member')
  await assert.rejects(memberships.remove(account, grace), refused('last_owner'))
  await memberships.remove(account, grace, { ownerless: true })
  const [last, ...others] = await memberships.ofAccount(account)
  assert.deepEqual([last?.email, last?.role, others], ['ada@example.org', 'member', []])
  const { hasPassword, hasTotp, passkeys, issuer } = await people.get(ada)
  assert.deepEqual(last, { ...last, hasPassword, hasTotp, passkeys, issuer })
})

test('if two owners leave concurrently, one stays', async () => {
  const { memberships, addPerson } = createIdentityRig()
  const { id: ada, account } = await addPerson('ada@example.org', { role: 'owner' })
  const { id: grace } = await addPerson('grace@example.org', { role: 'owner', account })
  const left = await Promise.allSettled([
    memberships.remove(account, ada),
    memberships.remove(account, grace),
  ])
  assert.deepEqual(left.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal((await memberships.ofAccount(account)).length, 1)
})

test('if two owners become members concurrently, one stays an owner', async () => {
  const { memberships, addPerson } = createIdentityRig()
  const { id: ada, account } = await addPerson('ada@example.org', { role: 'owner' })
  const { id: grace } = await addPerson('grace@example.org', { role: 'owner', account })
  const changed = await Promise.allSettled(
    [ada, grace].map((id) => memberships.changeRole(account, id, 'member')),
  )
  assert.deepEqual(changed.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  const roles = (await memberships.ofAccount(account)).map(({ role }) => role)
  assert.deepEqual(roles.toSorted(), ['member', 'owner'])
})

test('a new role requires a new sign-in; the same role changes nothing', async () => {
  const { memberships, signIn, tokenAuthenticator, addPerson } = createIdentityRig()
  const { id, account } = await addPerson('ada@example.org')
  const { token } = await signIn.enter(id, testClient)
  await memberships.changeRole(account, id, 'member')
  assert.equal((await tokenAuthenticator.findSession(token))?.roles.get(account), 'member')
  await memberships.changeRole(account, id, 'owner')
  assert.equal(await tokenAuthenticator.findSession(token), null)
  const again = await signIn.enter(id, testClient)
  assert.equal((await tokenAuthenticator.findSession(again.token))?.roles.get(account), 'owner')
})

test('an existing person is added to an account, and adding never demotes an owner', async () => {
  const { memberships, accounts, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { id: other } = await accounts.createAccount('other')
  await memberships.put(other, id, 'owner')
  await memberships.put(other, id, 'member')
  assert.deepEqual(
    (await memberships.ofPerson(id)).map(({ accountName, role }) => [accountName, role]),
    [
      ['of-ada', 'member'],
      ['other', 'owner'],
    ],
  )
  await assert.rejects(memberships.put('none', id, 'member'), refused('no_account'))
  await assert.rejects(memberships.put(other, 'none', 'member'), refused('no_person'))
  await assert.rejects(memberships.remove(other, 'none'), refused('no_member'))
})
