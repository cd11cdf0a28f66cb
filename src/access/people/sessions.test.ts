import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createIdentityRig, dayMs, testClient } from '../../../test/fakes/people/identity.ts'
import type { Query } from '../../db/rows.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'

const isNoSession = (error: unknown) =>
  error instanceof AccountsRefusal && error.reason === 'no_session'

test('the token of a session is new each time, and only its hash is stored', async () => {
  const { signIn, tokenAuthenticator, db, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const one = await signIn.enter(id, testClient)
  const two = await signIn.enter(id, testClient)
  assert.notEqual(one.token, two.token)
  assert.match(one.token, /^[A-Za-z0-9_-]{27}$/)
  const stored = db.all<{ token_hash: Uint8Array }>('SELECT * FROM session')
  const text = JSON.stringify(stored) + stored.map((row) => Buffer.from(row.token_hash)).join()
  assert.ok(!text.includes(one.token))
  assert.equal((await tokenAuthenticator.findSession(one.token))?.by.id, one.session.id)
})

test('a session expires after its idle time, counted from the last call', async () => {
  const { signIn, tokenAuthenticator, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { token } = await signIn.enter(id, testClient)
  clock.advance(dayMs / 2 - 1)
  assert.ok(await tokenAuthenticator.findSession(token))
  clock.advance(dayMs / 2 - 1)
  assert.ok(await tokenAuthenticator.findSession(token))
  clock.advance(dayMs / 2)
  assert.equal(await tokenAuthenticator.findSession(token), null)
})

test('a session expires thirty days after sign-in, however busy', async () => {
  const { signIn, tokenAuthenticator, sessions, clock, db, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { token } = await signIn.enter(id, testClient)
  for (let day = 0; day < 120; day++) {
    assert.ok(await tokenAuthenticator.findSession(token), `day ${day / 4}`)
    clock.advance(dayMs / 4)
  }
  assert.equal(await tokenAuthenticator.findSession(token), null)
  assert.deepEqual(await sessions.list(id), [])
  assert.equal(await sessions.sweep(), 1)
  assert.equal(db.getValue('SELECT count(*) FROM session'), 0)
})

test('being seen is written once a minute at most', async () => {
  const { signIn, tokenAuthenticator, sessions, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { token, session } = await signIn.enter(id, testClient)
  clock.advance(59_999)
  await tokenAuthenticator.findSession(token)
  assert.equal((await sessions.list(id))[0]?.lastSeen, session.created)
  clock.advance(1)
  await tokenAuthenticator.findSession(token)
  assert.equal((await sessions.list(id))[0]?.lastSeen, session.created + 60_000)
})

test('a renewed session keeps its identity and its old token is refused', async () => {
  const { signIn, tokenAuthenticator, sessions, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { token, session } = await signIn.enter(id, testClient)
  assert.ok(await tokenAuthenticator.findSession(token))
  const { token: fresh, expires } = await sessions.renew(session.id)
  assert.equal(expires, session.expires)
  assert.equal(await tokenAuthenticator.findSession(token), null)
  assert.equal((await tokenAuthenticator.findSession(fresh))?.by.id, session.id)
  await assert.rejects(sessions.renew('none'), isNoSession)
})

test('sessions are listed and ended one by one or all but one, by their own person only', async () => {
  const { signIn, tokenAuthenticator, sessions, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const { id: grace } = await addPerson('grace@example.org')
  const [one, two, three] = [
    await signIn.enter(id, testClient),
    await signIn.enter(id, testClient),
    await signIn.enter(id, testClient),
  ]
  await assert.rejects(sessions.end(one.session.id, grace), isNoSession)
  await sessions.end(one.session.id, id)
  assert.equal(await tokenAuthenticator.findSession(one.token), null)
  assert.equal(await sessions.endOthers(id, three.session.id), 1)
  assert.equal(await tokenAuthenticator.findSession(two.token), null)
  assert.ok(await tokenAuthenticator.findSession(three.token))
  assert.deepEqual(await sessions.list(id), [three.session])
})

test('of more than twenty sessions the one seen longest ago gives way', async () => {
  const { signIn, tokenAuthenticator, sessions, clock, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const first = await signIn.enter(id, testClient)
  let last = first
  for (let n = 0; n < 20; n++) {
    clock.advance(1000)
    last = await signIn.enter(id, testClient)
  }
  assert.equal((await sessions.list(id)).length, 20)
  assert.equal(await tokenAuthenticator.findSession(first.token), null)
  assert.ok(await tokenAuthenticator.findSession(last.token))
})

test('the address of a sign-in is stored only if the setting enables it', async () => {
  const { signIn, sessions, settings, addPerson } = createIdentityRig()
  const { id } = await addPerson('ada@example.org')
  const agent = `x\u001b[31m${'y'.repeat(500)}`
  const withAgent = await signIn.enter(id, { ...testClient, agent })
  settings.keepAddresses = false
  const unkept = await signIn.enter(id, testClient)
  assert.equal(withAgent.session.address, testClient.address)
  assert.ok(!/\p{C}/u.test(withAgent.session.agent) && withAgent.session.agent.length <= 256)
  assert.equal(unkept.session.address, null)
  assert.ok((await sessions.list(id)).some(({ address }) => address === null))
})

test('a session or role that another process ended is refused at the next call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-people-'))
  const path = join(folder, 'cairn.db')
  const one = createIdentityRig(path)
  const two = createIdentityRig(path, one.clock)
  try {
    const { id, account } = await one.addPerson('ada@example.org', { role: 'owner' })
    await one.addPerson('grace@example.org', { role: 'owner', account })
    const { token, session } = await one.signIn.enter(id, testClient)
    assert.equal((await two.tokenAuthenticator.findSession(token))?.roles.get(account), 'owner')
    await one.sessions.end(session.id, id)
    assert.equal(await two.tokenAuthenticator.findSession(token), null)
    const again = await one.signIn.enter(id, testClient)
    assert.ok(await two.tokenAuthenticator.findSession(again.token))
    await one.people.setDisabled(id, true)
    assert.equal(await two.tokenAuthenticator.findSession(again.token), null)
  } finally {
    one.db.close()
    two.db.close()
    rmSync(folder, { recursive: true })
  }
})

test('a person who was read before a change of rights is not found after it', async () => {
  const reads = { hold: (): Promise<void> => Promise.resolve() }
  const { people, signIn, tokenAuthenticator, addPerson } = createIdentityRig(
    ':memory:',
    undefined,
    {
      wrapRows: (rows) => ({
        ...rows,
        async snapshot<const Queries extends readonly Query<object>[]>(queries: Queries) {
          const found = await rows.snapshot(queries)
          await reads.hold()
          return found
        },
      }),
    },
  )
  const { id } = await addPerson('ada@example.org')
  const { token } = await signIn.enter(id, testClient)
  const read = Promise.withResolvers<void>()
  const blocked = Promise.withResolvers<void>()
  reads.hold = () => {
    read.resolve()
    return blocked.promise
  }
  const slow = tokenAuthenticator.findSession(token)
  await read.promise
  reads.hold = () => Promise.resolve()
  await people.setDisabled(id, true)
  assert.equal(await tokenAuthenticator.findSession(token), null)
  blocked.resolve()
  assert.equal((await slow)?.person.id, id)
  assert.equal(await tokenAuthenticator.findSession(token), null)
})

test('a text that is not a session token opens no session', async () => {
  const { tokenAuthenticator } = createIdentityRig()
  for (const text of ['', 'x', 'A'.repeat(27), `${'A'.repeat(26)}\n`, 'A'.repeat(100_000)]) {
    assert.equal(await tokenAuthenticator.findSession(text), null)
    assert.equal(await tokenAuthenticator.findToken(text), null)
  }
})
