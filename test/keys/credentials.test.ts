// Revoking a credential revokes the invitations that it created. Creating operators or tokens, and bypassing a person's sign-in,
// requires a session that was recently confirmed with a password or passkey.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type AdminClient,
  confirm,
  openAdminClient,
  takeFirstRun,
} from '../fakes/people/admin-client.ts'
import { type Started, startCairn } from '../started-server.ts'

const password = 'a stone on a stone'

let cairn: Started
let operator: AdminClient
let tokens = 0

before(async () => {
  cairn = await startCairn()
  operator = await takeFirstRun(cairn)
})
after(() => cairn.stop())

async function makeToken(): Promise<{ readonly id: string; readonly client: AdminClient }> {
  await confirm(operator)
  const order = { name: `ci ${tokens++}`, role: 'operator', expires: null }
  const { body } = await operator.ask('POST', '/me/tokens', order)
  const { id } = body['token'] as { id: string }
  return { id, client: openAdminClient(cairn.url, String(body['text'])) }
}

async function join(to: Readonly<Record<string, unknown>>, email: string) {
  const { body } = await operator.ask('POST', '/invitations', to)
  const client = openAdminClient(cairn.url)
  const newcomer = { link: body['link'], email, name: email, password }
  const reply = await client.ask('POST', '/welcome', newcomer)
  assert.equal(reply.status, 200, reply.message)
  return { client, id: (reply.body['person'] as { id: string }).id }
}

test('an operator invitation requires a session, so that none survives a revoked token', async () => {
  const { client } = await makeToken()
  const { status, code } = await client.ask('POST', '/invitations', { role: 'operator' })
  assert.deepEqual([status, code], [403, 'not_allowed'])
})

test('an invitation created with a token is revoked with the token', async () => {
  const { id, client } = await makeToken()
  const { body } = await client.ask('POST', '/invitations', { role: 'owner', accountName: 'late' })
  assert.equal((await operator.ask('DELETE', `/me/tokens/${id}`)).status, 200)
  const newcomer = { link: body['link'], email: 'late@example.org', name: 'Late', password }
  const { code } = await openAdminClient(cairn.url).ask('POST', '/welcome', newcomer)
  assert.equal(code, 'link_over')
})

test('a token cannot create operators, restore access of a person or reset a sign-in', async () => {
  const { client } = await makeToken()
  const { body } = await client.ask('GET', '/me')
  const own = (body['person'] as { id: string }).id
  const { id: other } = await join({ role: 'owner', accountName: 'other' }, 'other@example.org')
  const refused = async (method: string, path: string, sent: Record<string, unknown> = {}) =>
    (await client.ask(method, path, sent)).code
  assert.equal(await refused('POST', `/people/${own}/totp/reset`), 'not_allowed')
  assert.equal(await refused('POST', `/people/${other}/totp/reset`), 'not_allowed')
  assert.equal(await refused('PATCH', `/people/${other}`, { isOperator: true }), 'not_allowed')
  assert.equal(await refused('PATCH', `/people/${other}`, { disabled: true }), null)
  assert.equal(await refused('PATCH', `/people/${other}`, { disabled: false }), 'not_allowed')
})

test('a session can create operators, tokens and resets after a confirmation with the password', async () => {
  const { client, id } = await join({ role: 'owner', accountName: 'fresh' }, 'fresh@example.org')
  const order = { name: 'ci', role: 'owner', expires: null }
  assert.equal((await client.ask('POST', '/me/tokens', order)).code, 'needs_confirmation')
  const wrong = await client.ask('POST', '/me/confirmation', { password: 'not this one' })
  assert.equal(wrong.code, 'bad_input')
  assert.equal((await client.ask('POST', '/me/tokens', order)).code, 'needs_confirmation')
  assert.equal((await client.ask('POST', '/me/confirmation', { password })).status, 200)
  assert.equal((await client.ask('POST', '/me/tokens', order)).status, 200)

  // Confirmed only in this session.
  const again = openAdminClient(cairn.url)
  await again.ask('POST', '/session', { email: 'fresh@example.org', password })
  assert.equal((await again.ask('POST', '/me/tokens', order)).code, 'needs_confirmation')

  await confirm(operator)
  assert.equal((await operator.ask('PATCH', `/people/${id}`, { isOperator: true })).status, 200)
  const second = openAdminClient(cairn.url)
  await second.ask('POST', '/session', { email: 'fresh@example.org', password })
  const asked = await second.ask('POST', `/people/${id}/totp/reset`)
  assert.equal(asked.code, 'needs_confirmation')
})
