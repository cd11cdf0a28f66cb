// Sign-in with OpenID on a started server with a real provider: which person an identity is bound to, and the required proof.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import {
  type AdminClient,
  confirm,
  firstPerson,
  openAdminClient,
  takeFirstRun,
} from '../fakes/people/admin-client.ts'
import {
  type OpenIdProvider,
  openProviderBrowser,
  type ProviderPerson,
  providerSettings,
  startOpenIdProvider,
} from '../fakes/people/openid-provider.ts'
import { type Started, startCairn } from '../started-server.ts'

type Rig = {
  readonly provider: OpenIdProvider
  readonly cairn: Started
  readonly operator: AdminClient
  /** A new browser; `code` null: signed in. */
  signIn(
    login: string,
    link?: unknown,
  ): Promise<{ client: AdminClient; code: string | null; message: string }>
}

async function start(
  t: Pick<TestContext, 'after'>,
  env: Readonly<Record<string, string>> = {},
  options: { readonly idTokenClaims?: boolean } = {},
): Promise<Rig> {
  const provider = await startOpenIdProvider(t, options)
  const cairn = await startCairn({ env: providerSettings(provider, env) })
  t.after(() => cairn.stop())
  provider.serve(cairn.url)
  const operator = await takeFirstRun(cairn)
  return {
    provider,
    cairn,
    operator,
    async signIn(login, link) {
      const client = openAdminClient(cairn.url)
      const { seal, query } = await answerOf(client, provider, '/session/openid', login)
      const sent = { seal, query, ...(link === undefined ? {} : { link }) }
      const { code, message } = await client.ask('POST', '/session/openid', sent)
      return { client, code, message }
    },
  }
}

/** For tests with people of their own. */
let shared: Rig
const opened = new AsyncDisposableStack()
before(async () => {
  shared = await start({
    after: (end: () => unknown) => opened.defer(async () => void (await end())),
  })
})
after(() => opened.disposeAsync())

/** Returns the lines that the server logs from now on. */
function logOf({ child }: Started): () => readonly string[] {
  let text = ''
  child.stderr?.on('data', (piece: Buffer) => (text += piece.toString()))
  return () => text.split('\n')
}

/** Begins at `path`, and signs in at the provider in a browser without cookies. */
async function answerOf(
  client: AdminClient,
  provider: OpenIdProvider,
  path: string,
  login: string,
): Promise<{ seal: string; query: string }> {
  const begun = await client.ask('POST', `${path}/begin`, {})
  assert.equal(begun.status, 200, begun.message)
  const { location, seal } = begun.body as { location: string; seal: string }
  return { seal, query: await openProviderBrowser(provider).signInAt(location, login) }
}

async function invite(operator: AdminClient, to: Record<string, unknown>): Promise<unknown> {
  const { status, body, message } = await operator.ask('POST', '/invitations', to)
  assert.equal(status, 200, message)
  return body['link']
}

type Me = {
  person: { id: string; email: string; issuer: string | null; hasPassword: boolean }
  isOperator: boolean
  mustEnrol: boolean
  accounts: { name: string; role: string }[]
}

async function meOf(client: AdminClient): Promise<Me> {
  const { status, body, message } = await client.ask('GET', '/me')
  assert.equal(status, 200, message)
  return body as unknown as Me
}

const grace: ProviderPerson = {
  email: 'Grace@Example.org',
  email_verified: true,
  name: 'Grace',
  groups: ['staff'],
}

test('an invited person signs up with OpenID and is known by issuer and subject from then on', async (t) => {
  const { provider, operator, signIn } = await start(t, {}, { idTokenClaims: false })
  provider.people.set('g-1', { ...grace })
  const uninvited = await signIn('g-1')
  assert.equal(uninvited.code, 'not_allowed')
  assert.match(uninvited.message, /ask an operator for an invitation/)
  const link = await invite(operator, { role: 'member', accountName: 'acme' })
  const { client, code, message } = await signIn('g-1', link)
  assert.equal(code, null, message)
  const me = await meOf(client)
  assert.deepEqual(
    [me.person.email, me.person.issuer, me.person.hasPassword, me.accounts.map(({ name }) => name)],
    ['grace@example.org', provider.issuer, false, ['acme']],
  )
  // A new email with the same subject: the subject identifies the person.
  provider.people.set('g-1', { ...grace, email: 'new@example.org' })
  provider.people.set('g-2', { ...grace })
  assert.equal((await meOf((await signIn('g-1')).client)).person.id, me.person.id)
  assert.equal((await signIn('g-2')).code, 'not_allowed')
  // The link has already been used.
  provider.people.set('h-1', { ...grace, email: 'heidi@example.org' })
  assert.equal((await signIn('h-1', link)).code, 'link_over')
})

test('a provider cannot take over a person by reporting their address', async (t) => {
  const { provider, operator, signIn, cairn } = await start(t)
  provider.people.set('m-1', { email: firstPerson.email, email_verified: true, name: 'Mallory' })
  const refused = await signIn('m-1')
  assert.equal(refused.code, 'not_allowed')
  assert.match(refused.message, /sign in by other means and link Example ID under Profile/)
  // An invitation for any person, or one that grants less than the person has, links no identity.
  const open = await invite(operator, { role: 'operator' })
  assert.equal((await signIn('m-1', open)).code, 'not_allowed')
  const small = { role: 'member', accountName: 'acme', email: firstPerson.email }
  assert.equal((await signIn('m-1', await invite(operator, small))).code, 'not_allowed')
  const unverified = { email: firstPerson.email, email_verified: false }
  provider.people.set('m-1', unverified)
  const own = await invite(operator, { role: 'operator', email: firstPerson.email })
  assert.match((await signIn('m-1', own)).message, /no verified email address/)

  // The person links it, after a confirmation, and signs in with it.
  const fresh = openAdminClient(cairn.url)
  await fresh.ask('POST', '/session', { email: firstPerson.email, password: firstPerson.password })
  assert.equal((await fresh.ask('POST', '/me/identity/begin', {})).code, 'needs_confirmation')
  await confirm(fresh)
  const answer = await answerOf(fresh, provider, '/me/identity', 'm-1')
  // The response for another session is refused, and a sign-in response links no identity.
  await confirm(operator)
  assert.equal((await operator.ask('POST', '/me/identity', answer)).code, 'bad_input')
  const linked = await fresh.ask('POST', '/me/identity', answer)
  assert.equal(linked.status, 200, linked.message)
  const signedIn = await signIn('m-1')
  assert.equal(signedIn.code, null, signedIn.message)
  assert.equal((await meOf(signedIn.client)).person.email, firstPerson.email)
})

test('an invitation for the verified address of a person links the identity to them', async (t) => {
  const { provider, operator, signIn } = await start(t)
  provider.people.set('a-1', { email: firstPerson.email, email_verified: true })
  const link = await invite(operator, { role: 'operator', email: firstPerson.email })
  const { client, code, message } = await signIn('a-1', link)
  assert.equal(code, null, message)
  assert.equal((await meOf(client)).person.email, firstPerson.email)
  const { body } = await operator.ask('GET', '/audit')
  const { records } = body as { records: { action: string; changes: object }[] }
  assert.deepEqual(
    records.filter(({ action }) => action === 'signInWithOpenId').map(({ changes }) => changes),
    [{ isNew: true }],
  )
})

test('an answer counts once, for the browser and the purpose that began it', async () => {
  const { provider, operator, cairn } = shared
  provider.people.set('once-1', { ...grace, email: 'once@example.org' })
  const link = await invite(operator, { role: 'member', accountName: 'once' })
  const client = openAdminClient(cairn.url)
  const answer = await answerOf(client, provider, '/session/openid', 'once-1')
  const other = await answerOf(client, provider, '/session/openid', 'once-1')
  // An attacker's response in the victim's browser: state and seal do not match.
  const mixed = await client.ask('POST', '/session/openid', { ...answer, query: other.query, link })
  assert.equal(mixed.code, 'bad_sign_in')
  // Without Origin and guard header, as a form on another site sends it.
  const again = await answerOf(client, provider, '/session/openid', 'once-1')
  const foreign = await client.ask(
    'POST',
    '/session/openid',
    { ...again, link },
    { origin: 'https://evil.example' },
  )
  assert.equal(foreign.code, 'foreign_origin')
  const planted = openAdminClient(cairn.url)
  planted.cookie = `cairn-session-${new URL(cairn.url).port}=${'A'.repeat(27)}`
  const done = await planted.ask('POST', '/session/openid', { ...again, link })
  assert.equal(done.status, 200, done.message)
  assert.ok(!planted.cookie?.includes('AAAA'), 'the session has a token of its own')
  const replayed = await client.ask('POST', '/session/openid', { ...again })
  assert.deepEqual([replayed.code, /answered already/.test(replayed.message)], ['bad_input', true])
  // A new seal does not make a used code valid.
  const fresh = await client.ask('POST', '/session/openid/begin', {})
  const { seal, location } = fresh.body as { seal: string; location: string }
  const state = new URL(location).searchParams.get('state') ?? ''
  const query = new URLSearchParams(again.query)
  query.set('state', state)
  const stolen = await client.ask('POST', '/session/openid', { seal, query: query.toString() })
  assert.equal(stolen.code, 'bad_sign_in')
  const altered = await client.ask('POST', '/session/openid', {
    seal: `${seal.slice(0, -2)}AA`,
    query: '',
  })
  assert.equal(altered.code, 'bad_input')
  // A response that names another issuer: RFC 9207, mix-up.
  const issued = await answerOf(client, provider, '/session/openid', 'once-1')
  const elsewhere = new URLSearchParams(issued.query)
  elsewhere.set('iss', 'https://evil.example')
  const mixUp = { seal: issued.seal, query: elsewhere.toString() }
  assert.equal((await client.ask('POST', '/session/openid', mixUp)).code, 'bad_sign_in')
  // The person cancelled the sign-in at the provider.
  const ended = await client.ask('POST', '/session/openid/begin', {})
  const denied = new URLSearchParams({
    error: 'access_denied',
    state: new URL(String(ended.body['location'])).searchParams.get('state') ?? '',
    iss: provider.issuer,
  })
  const refusal = await client.ask('POST', '/session/openid', {
    seal: ended.body['seal'],
    query: denied.toString(),
  })
  assert.deepEqual(
    [refusal.code, refusal.message],
    ['bad_sign_in', 'Example ID did not sign you in'],
  )
})

test('people sign up by rule with a verified address of a permitted domain only', async (t) => {
  const { provider, cairn, signIn } = await start(t, {
    CAIRN_SIGN_IN_OIDC_SIGN_UP: 'rule',
    CAIRN_SIGN_IN_OIDC_DOMAINS: 'example.org, example.net',
    CAIRN_SIGN_IN_OIDC_RULES: JSON.stringify([
      { domains: ['example.org'], account: 'default', role: 'member' },
    ]),
  })
  const lines = logOf(cairn)
  provider.people.set('g-1', { ...grace })
  const { client, code, message } = await signIn('g-1')
  assert.equal(code, null, message)
  assert.deepEqual(
    (await meOf(client)).accounts.map(({ name, role }) => [name, role]),
    [['default', 'member']],
  )
  const cases: readonly (readonly [ProviderPerson, RegExp])[] = [
    [{ ...grace, email: 'u@example.org', email_verified: false }, /no verified email address/],
    [{ ...grace, email: 'u@evil.example' }, /an address of example\.org or example\.net/],
    [{ ...grace, email: 'u@sub.example.org' }, /an address of example\.org/],
    [{ ...grace, email: 'u@example.net' }, /ask an operator for an invitation/],
    [{ name: 'No address' }, /no verified email address/],
  ]
  for (const [at, [person, reason]] of cases.entries()) {
    provider.people.set(`u-${at}`, person)
    const refused = await signIn(`u-${at}`)
    assert.equal(refused.code, 'not_allowed')
    assert.match(refused.message, reason)
  }
  await cairn.stop()
  assert.equal(lines().filter((line) => /"sign_in_refused".*"not_allowed"/.test(line)).length, 5)
})

test('a provider that is down has a clear message, passwords go on, and new keys need no restart', async () => {
  const { provider, operator, cairn, signIn } = shared
  provider.people.set('down-1', { ...grace, email: 'down@example.org' })
  const link = await invite(operator, { role: 'member', accountName: 'down' })
  assert.equal((await signIn('down-1', link)).code, null)
  provider.stop()
  const client = openAdminClient(cairn.url)
  // Discovery is cached, but the code cannot be redeemed.
  const begun = await client.ask('POST', '/session/openid/begin', {})
  const query = `code=x&state=${new URL(String(begun.body['location'])).searchParams.get('state')}&iss=${encodeURIComponent(provider.issuer)}`
  const down = await client.ask('POST', '/session/openid', { seal: begun.body['seal'], query })
  assert.equal(down.code, 'no_upstream')
  assert.match(down.message, /^Example ID cannot be reached \(.+\): sign in by other means/)
  const { email, password } = firstPerson
  assert.equal((await client.ask('POST', '/session', { email, password })).status, 200)
  // The provider is back, with new signing keys.
  provider.serve(cairn.url)
  const back = await signIn('down-1')
  assert.equal(back.code, null, back.message)
})

test('a person without password confirms at the provider, which asks for the credentials again', async () => {
  const { provider, operator, cairn } = shared
  provider.people.set('without-1', { ...grace, email: 'without@example.org' })
  provider.people.set('x-1', { ...grace, email: 'x@example.org' })
  const link = await invite(operator, { role: 'owner', accountName: 'without' })
  const client = openAdminClient(cairn.url)
  const browser = openProviderBrowser(provider)
  const first = await client.ask('POST', '/session/openid/begin', {})
  const query = await browser.signInAt(String(first.body['location']), 'without-1')
  await client.ask('POST', '/session/openid', { seal: first.body['seal'], query, link })
  const order = { name: 'ci', role: 'owner' }
  assert.equal((await client.ask('POST', '/me/tokens', order)).code, 'needs_confirmation')
  // The session at the provider is still open, but a confirmation requests the credentials again.
  const shown = provider.pagesShown()
  const begun = await client.ask('POST', '/me/confirmation/openid/begin', {})
  const { location, seal } = begun.body as { location: string; seal: string }
  const answer = { seal, query: await browser.signInAt(location, 'without-1') }
  assert.equal(provider.pagesShown(), shown + 1)
  // A response for a confirmation is not valid for a sign-in, and vice versa.
  assert.equal((await client.ask('POST', '/session/openid', answer)).code, 'bad_input')
  const confirmed = await client.ask('POST', '/me/confirmation/openid', answer)
  assert.equal(confirmed.status, 200, confirmed.message)
  const made = await client.ask('POST', '/me/tokens', order)
  assert.equal(made.status, 200, made.message)
  // Another person at the provider cannot confirm this session.
  const other = await answerOf(client, provider, '/me/confirmation/openid', 'x-1')
  assert.equal((await client.ask('POST', '/me/confirmation/openid', other)).code, 'not_allowed')
  // The last way to sign in cannot be removed until another exists.
  assert.equal((await client.ask('DELETE', '/me/identity')).code, 'conflict')
  const set = await client.ask('POST', '/me/password', { newPassword: 'a stone on a wall' })
  assert.equal(set.status, 200, set.message)
  assert.equal((await client.ask('DELETE', '/me/identity')).status, 200)
  assert.equal((await meOf(client)).person.issuer, null)
})

test('with passwords closed, people sign in with OpenID, and the command line leads back', async (t) => {
  const provider = await startOpenIdProvider(t)
  const env = providerSettings(provider, { CAIRN_SIGN_IN_PASSWORD: 'false' })
  const cairn = await startCairn({ env })
  t.after(() => cairn.stop())
  provider.serve(cairn.url)
  provider.people.set('a-1', { email: firstPerson.email, email_verified: true, name: 'Ada' })
  const client = openAdminClient(cairn.url)
  assert.deepEqual((await client.ask('GET', '/session/means')).body, {
    password: false,
    openId: 'Example ID',
  })
  const link = new URL(cairn.firstRunLink ?? '').hash.slice(1)
  const byPassword = await client.ask('POST', '/welcome', { link, ...firstPerson })
  assert.equal(byPassword.code, 'not_allowed')
  const answer = await answerOf(client, provider, '/session/openid', 'a-1')
  const entered = await client.ask('POST', '/session/openid', { ...answer, link })
  assert.equal(entered.status, 200, entered.message)
  assert.equal((await meOf(client)).isOperator, true)
  const { email, password } = firstPerson
  assert.equal((await client.ask('POST', '/session', { email, password })).code, 'not_allowed')
  // The identity is lost: an invitation by the data folder's owner binds another one.
  await cairn.cli('people', 'unlink', email)
  const { link: url } = await cairn.cli('people', 'invite', '--operator', '--email', email)
  provider.people.set('a-2', { email, email_verified: true })
  const other = openAdminClient(cairn.url)
  const again = await answerOf(other, provider, '/session/openid', 'a-2')
  const back = await other.ask('POST', '/session/openid', {
    ...again,
    link: new URL(String(url)).hash.slice(1),
  })
  assert.equal(back.status, 200, back.message)
  assert.equal((await meOf(other)).isOperator, true)
})
