import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  createIdentityRig,
  dayMs,
  goodPassword,
  testClient,
} from '../../../test/fakes/people/identity.ts'
import { AccountsRefusal, type RefusalReason } from '../accounts/account-rules.ts'

const refused =
  (reason: RefusalReason, text = /./) =>
  (error: unknown) =>
    error instanceof AccountsRefusal && error.reason === reason && text.test(error.message)
const ada = { email: 'ada@example.org', name: 'Ada', password: goodPassword }

async function withFirstLink() {
  const rig = createIdentityRig()
  const { id: account } = await rig.accounts.createAccount('default', { hasCard: true })
  const { token, invitation } = await rig.invitations.createFirst(account)
  return { ...rig, account, token, invitation }
}

test('the first-run link creates an operator who owns the first account, once', async () => {
  const { invitations, people, signIn, tokenAuthenticator, account, token, db } =
    await withFirstLink()
  assert.match(token, /^cairnt_live_/)
  assert.ok(!JSON.stringify(db.all('SELECT * FROM invitation')).includes(token))
  const id = await invitations.acceptAsNew(token, ada)
  assert.equal((await people.get(id)).isOperator, true)
  const { token: session } = await signIn.signIn(ada, testClient)
  const signedIn = await tokenAuthenticator.findSession(session)
  assert.equal(signedIn?.isOperator, true)
  assert.equal(signedIn?.roles.get(account), 'owner')
  const again = invitations.acceptAsNew(token, { ...ada, email: 'eve@example.org' })
  await assert.rejects(again, refused('link_over', /cairn init --link. prints a new link/))
})

test('the first-run link expires after 30 minutes, and the error names the next step', async () => {
  const { invitations, people, clock, token, account } = await withFirstLink()
  clock.advance(30 * 60_000)
  await assert.rejects(
    invitations.acceptAsNew(token, ada),
    refused('link_over', /cairn init --link/),
  )
  assert.deepEqual(await people.list(), [])
  const fresh = await invitations.createFirst(account)
  clock.advance(30 * 60_000 - 1)
  await invitations.acceptAsNew(fresh.token, ada)
})

test('a new first-run link ends the one before', async () => {
  const { invitations, token, account } = await withFirstLink()
  const fresh = await invitations.createFirst(account)
  await assert.rejects(invitations.get(token), refused('link_over'))
  assert.equal((await invitations.get(fresh.token)).isFirst, true)
})

test('where there is an operator there is no first-run link, and an old one makes no other', async () => {
  const { invitations, people, addPerson, token, account } = await withFirstLink()
  await addPerson('grace@example.org', { role: 'operator', account })
  await assert.rejects(invitations.createFirst(account), refused('link_over', /operator already/))
  await assert.rejects(invitations.acceptAsNew(token, ada), refused('link_over'))
  assert.equal((await people.list()).length, 1)
})

test('of many concurrent uses of one link exactly one succeeds', async () => {
  const { invitations, people, token } = await withFirstLink()
  const uses = await Promise.allSettled(
    ['a', 'b', 'c', 'd', 'e'].map((name) =>
      invitations.acceptAsNew(token, { ...ada, email: `${name}@example.org` }),
    ),
  )
  assert.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await people.list()).length, 1)
})

test('of two processes that use one link exactly one succeeds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-people-'))
  const path = join(folder, 'cairn.db')
  const one = createIdentityRig(path)
  const two = createIdentityRig(path, one.clock)
  try {
    const { id } = await one.accounts.createAccount('default')
    const { token } = await one.invitations.createFirst(id)
    const uses = await Promise.allSettled([
      one.invitations.acceptAsNew(token, ada),
      two.invitations.acceptAsNew(token, { ...ada, email: 'eve@example.org' }),
    ])
    assert.deepEqual(uses.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.equal((await one.people.list()).length, 1)
  } finally {
    one.db.close()
    two.db.close()
    rmSync(folder, { recursive: true })
  }
})

test('a link whose effect failed is not used up', async () => {
  const { invitations, people, db, token } = await withFirstLink()
  await assert.rejects(
    invitations.acceptAsNew(token, { ...ada, password: 'password123' }),
    refused('bad_password'),
  )
  db.exec(
    `CREATE TRIGGER stop BEFORE INSERT ON membership BEGIN SELECT raise(ABORT, 'stopped'); END`,
  )
  await assert.rejects(invitations.acceptAsNew(token, ada), /stopped/)
  assert.deepEqual(await people.list(), [])
  db.exec('DROP TRIGGER stop')
  await invitations.acceptAsNew(token, ada)
})

test('an invitation adds a new person to an account with its role, within 7 days', async () => {
  const { invitations, memberships, accounts, clock } = createIdentityRig()
  const { id: account } = await accounts.createAccount('acme')
  const order = { role: 'member', accountId: account, invitedBy: null } as const
  const { token } = await invitations.create(order)
  const { token: late } = await invitations.create(order)
  assert.equal((await invitations.get(token)).accountName, 'acme')
  clock.advance(7 * dayMs - 1)
  const id = await invitations.acceptAsNew(token, ada)
  assert.deepEqual(await memberships.ofPerson(id), [
    { accountId: account, accountName: 'acme', role: 'member' },
  ])
  clock.advance(1)
  await assert.rejects(invitations.get(late), refused('link_over'))
})

test('an invitation to a new account creates it with its owner, or creates neither', async () => {
  const { invitations, accounts, memberships, people } = createIdentityRig()
  const order = { role: 'owner', accountName: 'acme', invitedBy: null } as const
  const { token } = await invitations.create(order)
  const { token: second } = await invitations.create(order)
  const id = await invitations.acceptAsNew(token, ada)
  const { id: account } = await accounts.getAccount('acme')
  assert.deepEqual((await memberships.ofAccount(account))[0]?.personId, id)
  const other = invitations.acceptAsNew(second, { ...ada, email: 'eve@example.org' })
  await assert.rejects(other, refused('name_taken', /"acme"/))
  assert.equal(await people.findByEmail('eve@example.org'), null)
  await assert.rejects(
    invitations.create({ ...order, accountName: 'no spaces' }),
    refused('bad_name'),
  )
})

test('a person who can sign in already accepts an invitation as themselves', async () => {
  const { invitations, memberships, people, accounts, addPerson } = createIdentityRig()
  const { id } = await addPerson(ada.email)
  const { id: account } = await accounts.createAccount('acme')
  const order = { role: 'owner', accountId: account, invitedBy: null } as const
  const { token } = await invitations.create(order)
  await assert.rejects(invitations.acceptAsNew(token, ada), refused('email_taken', /sign in/))
  await invitations.acceptAs(token, await people.get(id))
  assert.equal((await memberships.ofAccount(account))[0]?.role, 'owner')
  await assert.rejects(invitations.acceptAs(token, await people.get(id)), refused('link_over'))
})

test('an invitation for one address is for no other', async () => {
  const { invitations, accounts, people, addPerson } = createIdentityRig()
  const { id: account } = await accounts.createAccount('acme')
  const { id: eve } = await addPerson('eve@example.org')
  const order = {
    role: 'member',
    accountId: account,
    email: 'Ada@example.org',
    invitedBy: null,
  } as const
  const { token } = await invitations.create(order)
  const grace = { ...ada, email: 'grace@example.org' }
  await assert.rejects(invitations.acceptAsNew(token, grace), refused('bad_email'))
  await assert.rejects(invitations.acceptAs(token, await people.get(eve)), refused('bad_email'))
  await invitations.acceptAsNew(token, ada)
})

test('open invitations are listed and withdrawn, those of an account by it alone', async () => {
  const { invitations, accounts } = createIdentityRig()
  const { id: acme } = await accounts.createAccount('acme')
  const { id: beta } = await accounts.createAccount('beta')
  const order = { role: 'member', invitedBy: null } as const
  const { invitation, token } = await invitations.create({ ...order, accountId: acme })
  await invitations.create({ ...order, accountId: beta })
  assert.deepEqual(
    await invitations.list(acme),
    [invitation].map((one) => ({ ...one, accountName: 'acme' })),
  )
  assert.equal((await invitations.list(null)).length, 2)
  await assert.rejects(invitations.withdraw(invitation.id, beta), refused('no_invitation'))
  await invitations.withdraw(invitation.id, acme)
  await assert.rejects(invitations.get(token), refused('link_over'))
})

test('a hundred invitations of an account are open at most', async () => {
  const { invitations, accounts } = createIdentityRig()
  const { id: accountId } = await accounts.createAccount('acme')
  const order = { role: 'member', accountId, invitedBy: null } as const
  for (let n = 0; n < 100; n++) await invitations.create(order)
  await assert.rejects(invitations.create(order), refused('too_many'))
})

const inviter = (personId: string) => ({ personId, via: { kind: 'session', id: 's' } as const })

test('an invitation expires when its inviter loses the right to invite', async () => {
  const { invitations, memberships, people, account, token } = await withFirstLink()
  const operator = await invitations.acceptAsNew(token, ada)
  const join = async (email: string, role: 'owner' | 'operator') => {
    const made = await invitations.create({
      role,
      accountId: account,
      invitedBy: inviter(operator),
    })
    return await invitations.acceptAsNew(made.token, { ...ada, email })
  }
  const owner = await join('grace@example.org', 'owner')
  const second = await join('joan@example.org', 'operator')
  const way = { role: 'owner', accountId: account } as const
  const back = await invitations.create({ ...way, invitedBy: inviter(owner) })
  const up = await invitations.create({ role: 'operator', invitedBy: inviter(second) })
  assert.equal((await invitations.list(null)).length, 2)

  await memberships.remove(account, owner)
  const again = invitations.acceptAs(back.token, { id: owner, email: 'grace@example.org' })
  await assert.rejects(again, refused('link_over'))
  await people.setOperator(second, false)
  const higher = invitations.acceptAs(up.token, { id: second, email: 'joan@example.org' })
  await assert.rejects(higher, refused('link_over'))
  assert.deepEqual(await invitations.list(null), [])
  assert.deepEqual(await memberships.ofPerson(owner), [])
})

test('an invitation that was made with a token ends when the token is revoked, or expires', async () => {
  const { invitations, tokens, clock, account, token } = await withFirstLink()
  const operator = await invitations.acceptAsNew(token, ada)
  const person = { id: operator, may: 'operator' } as const
  const make = async (expires: number | null) => {
    const { token: made } = await tokens.create(person, { name: 'ci', role: 'operator', expires })
    const invitedBy = { personId: operator, via: { kind: 'token', id: made.id } as const }
    const order = { role: 'owner', accountId: account, invitedBy } as const
    return { id: made.id, link: (await invitations.create(order)).token }
  }
  const [revoked, expiring] = [await make(null), await make(clock.now() + 1000)]
  assert.equal((await invitations.get(revoked.link)).role, 'owner')
  await tokens.revoke(revoked.id, operator)
  await assert.rejects(invitations.get(revoked.link), refused('link_over'))
  assert.equal((await invitations.get(expiring.link)).role, 'owner')
  clock.advance(1000)
  const late = invitations.acceptAsNew(expiring.link, { ...ada, email: 'late@example.org' })
  await assert.rejects(late, refused('link_over'))
})

test('a new password withdraws the invitations of other sessions, and signing out withdraws none', async () => {
  const { invitations, sessions, people, account, token } = await withFirstLink()
  const operator = await invitations.acceptAsNew(token, ada)
  const from = { address: '192.0.2.1', agent: '' }
  const make = async () => {
    const opened = await sessions.open(operator, from, null)
    const via = { kind: 'session', id: opened?.session.id ?? '' } as const
    const invitedBy = { personId: operator, via }
    const order = { role: 'owner', accountId: account, invitedBy } as const
    const { invitation } = await invitations.create(order)
    return { session: via.id, invitation: invitation.id }
  }
  const [stolen, own, left] = [await make(), await make(), await make()]
  const open = async () => (await invitations.list(null)).map(({ id }) => id)
  await sessions.endOne(left.session)
  assert.equal((await open()).length, 3)
  await sessions.endOne(stolen.session)
  await people.setPassword(operator, 'another stone there', own.session)
  assert.deepEqual(await open(), [own.invitation])
  await sessions.end(own.session, operator)
  assert.deepEqual(await open(), [])
})

test('a person who becomes an operator again gets back no operator token or invitation', async () => {
  const { invitations, tokens, people, account, token } = await withFirstLink()
  await invitations.acceptAsNew(token, ada)
  const join = await invitations.create({ role: 'operator', invitedBy: null })
  const second = await invitations.acceptAsNew(join.token, { ...ada, email: 'joan@example.org' })
  await tokens.create(
    { id: second, may: 'operator' },
    { name: 'ci', role: 'operator', expires: null },
  )
  const made = { invitedBy: inviter(second), accountId: account } as const
  await invitations.create({ ...made, role: 'operator' })
  await people.setOperator(second, false)
  await people.setOperator(second, true)
  assert.deepEqual(await invitations.list(null), [])
  assert.deepEqual(
    (await tokens.list(second)).map(({ role }) => role),
    ['owner'],
  )
})
