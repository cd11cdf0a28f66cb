// Where a second factor is required, a session without one can only show it or set it up.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TOTP } from 'otpauth'
import {
  type AdminClient,
  firstPerson,
  openAdminClient,
  takeFirstRun,
} from '../fakes/people/admin-client.ts'
import {
  openProviderBrowser,
  providerSettings,
  startOpenIdProvider,
} from '../fakes/people/openid-provider.ts'
import { startCairn } from '../started-server.ts'

const { email, password } = firstPerson

async function start(t: TestContext, env: Record<string, string>) {
  const cairn = await startCairn({ env })
  t.after(() => cairn.stop())
  return cairn
}

async function enrol(client: AdminClient): Promise<readonly string[]> {
  const { body, status, message } = await client.ask('POST', '/me/totp', { password })
  assert.equal(status, 200, message)
  const code = new TOTP({ secret: String(body['secret']) }).generate()
  const confirmed = await client.ask('POST', '/me/totp/confirm', { code })
  assert.equal(confirmed.status, 200, confirmed.message)
  return confirmed.body['recoveryCodes'] as string[]
}

async function mustEnrol(client: AdminClient): Promise<unknown> {
  return (await client.ask('GET', '/me')).body['mustEnrol']
}

test('a person without a second factor sets one up before anything else', async (t) => {
  const cairn = await start(t, { CAIRN_SIGN_IN_SECOND_FACTOR: 'required' })
  const client = await takeFirstRun(cairn)
  assert.equal(await mustEnrol(client), true)
  for (const [method, path] of [
    ['GET', '/accounts'],
    ['GET', '/people'],
    ['GET', '/me/tokens'],
    ['PATCH', '/me'],
    ['POST', '/me/tokens'],
    ['POST', '/me/password'],
  ] as const) {
    const reply = await client.ask(method, path, method === 'GET' ? undefined : {})
    assert.deepEqual([path, reply.status, reply.code], [path, 403, 'needs_second_factor'])
  }
  const { body: accounts } = await client.ask('GET', '/accounts')
  assert.ok(!JSON.stringify(accounts).includes('default'))
  // Calls as a key also need a session with all its rights.
  const asKey = await client.ask('POST', '/accounts/a/keys/k/rpc/dev', {})
  assert.equal(asKey.code, 'needs_second_factor')
  const codes = await enrol(client)
  assert.equal(await mustEnrol(client), false)
  assert.equal((await client.ask('GET', '/accounts')).status, 200)
  // The last second factor cannot be removed.
  assert.equal((await client.ask('POST', '/me/totp/remove', { password })).code, 'conflict')

  const next = openAdminClient(cairn.url)
  const signedIn = await next.ask('POST', '/session', { email, password, code: codes[0] })
  assert.equal(signedIn.status, 200)
  assert.equal(await mustEnrol(next), false)
})

test('for operators alone, others need none, and a promotion requires it at once', async (t) => {
  const cairn = await start(t, { CAIRN_SIGN_IN_SECOND_FACTOR: 'operators' })
  const operator = await takeFirstRun(cairn)
  await enrol(operator)
  const { body } = await operator.ask('POST', '/invitations', {
    role: 'owner',
    accountName: 'acme',
  })
  const grace = { email: 'grace@example.org', name: 'Grace', password: 'another stone there' }
  const client = openAdminClient(cairn.url)
  const joined = await client.ask('POST', '/welcome', { link: body['link'], ...grace })
  const { id } = joined.body['person'] as { id: string }
  assert.equal((await client.ask('GET', '/accounts')).status, 200)
  await operator.ask('POST', '/me/confirmation', { password })
  await operator.ask('PATCH', `/people/${id}`, { isOperator: true })
  const again = await client.ask('POST', '/session', {
    email: grace.email,
    password: grace.password,
  })
  assert.equal(again.status, 200, again.message)
  assert.equal((await client.ask('GET', '/accounts')).code, 'needs_second_factor')
})

test('a stolen password does not set up another factor next to the one of the person', async (t) => {
  const provider = await startOpenIdProvider(t)
  const env = providerSettings(provider, {
    CAIRN_SIGN_IN_SECOND_FACTOR: 'required',
    CAIRN_SIGN_IN_OIDC_SECOND_FACTOR_VALUES: 'otp, mfa',
  })
  const cairn = await start(t, env)
  provider.serve(cairn.url)
  const client = await takeFirstRun(cairn)
  const codes = await enrol(client)
  await client.ask('POST', '/me/confirmation', { password })
  const browser = openProviderBrowser(provider)
  const begun = await client.ask('POST', '/me/identity/begin', {})
  const linked = await client.ask('POST', '/me/identity', {
    seal: begun.body['seal'],
    query: await browser.signInAt(String(begun.body['location']), 'a-1'),
  })
  assert.equal(linked.status, 200, linked.message)

  const signIn = async (): Promise<AdminClient> => {
    const fresh = openAdminClient(cairn.url)
    const order = await fresh.ask('POST', '/session/openid/begin', {})
    const query = await openProviderBrowser(provider).signInAt(
      String(order.body['location']),
      'a-1',
    )
    const reply = await fresh.ask('POST', '/session/openid', { seal: order.body['seal'], query })
    assert.equal(reply.status, 200, reply.message)
    return fresh
  }
  // The provider verified no second factor, so the session must show the code first.
  const weak = await signIn()
  assert.equal((await weak.ask('GET', '/accounts')).code, 'needs_second_factor')
  assert.equal((await weak.ask('POST', '/me/totp', { password })).code, 'needs_second_factor')
  const passkey = await weak.ask(
    'POST',
    '/me/passkeys/begin',
    { password },
    {
      origin: cairn.url.replace('127.0.0.1', 'localhost'),
      host: new URL(cairn.url).host.replace('127.0.0.1', 'localhost'),
    },
  )
  assert.notEqual(passkey.status, 200)
  assert.equal(
    (await weak.ask('POST', '/me/second-factor', { code: '000000' })).code,
    'bad_sign_in',
  )
  const shown = await weak.ask('POST', '/me/second-factor', { code: codes[1] })
  assert.equal(shown.status, 200, shown.message)
  assert.equal((await weak.ask('GET', '/accounts')).status, 200)
  assert.equal(
    (await weak.ask('POST', '/me/second-factor', { code: codes[1] })).code,
    'bad_sign_in',
  )

  // The provider verified one, and reports it in `amr`.
  provider.people.set('a-1', { amr: ['pwd', 'otp'] })
  assert.equal((await (await signIn()).ask('GET', '/accounts')).status, 200)
})
