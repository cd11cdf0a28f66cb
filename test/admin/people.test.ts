// People on a started server: the first-run link, sessions and cookies, brute force, roles, the audit log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import {
  type AdminClient,
  confirm,
  cookieAt,
  firstPerson,
  openAdminClient,
  takeFirstRun,
} from '../fakes/people/admin-client.ts'
import { startSmtpSink } from '../fakes/people/smtp-sink.ts'
import { startCairn, temporaryFolder, type Started } from '../started-server.ts'

const { email, password } = firstPerson

/** The server of all tests that leave its first operator as it is. */
let shared: Started
before(async () => {
  shared = await startCairn({ env: { CAIRN_ADMIN_SIGN_UP: 'invitation' } })
  await takeFirstRun(shared)
})
after(() => shared.stop())

/** A new browser in which the first operator is signed in, with a confirmed session. */
async function signIn(): Promise<AdminClient> {
  const page = openAdminClient(shared.url)
  const { status, message } = await page.ask('POST', '/session', { email, password })
  assert.equal(status, 200, message)
  await confirm(page)
  return page
}

async function start(t: TestContext, env: Record<string, string> = {}): Promise<Started> {
  const cairn = await startCairn({ env })
  t.after(() => cairn.stop())
  return cairn
}

test('the first-run link creates the first operator and owner, and works only once', async (t) => {
  const cairn = await start(t)
  const link = new URL(cairn.firstRunLink ?? '')
  assert.equal(link.origin + link.pathname, `${cairn.url}/dashboard/welcome`)
  const looked = await openAdminClient(cairn.url).ask('POST', '/welcome/look', {
    link: link.hash.slice(1),
  })
  assert.equal(looked.body['isFirst'], true)
  const page = await takeFirstRun(cairn)
  const me = await page.ask('GET', '/me')
  assert.equal(me.body['isOperator'], true)
  const accounts = me.body['accounts'] as { name: string; role: string }[]
  assert.deepEqual(
    accounts.map(({ name, role }) => [name, role]),
    [['default', 'owner']],
  )
  const again = await openAdminClient(cairn.url).ask('POST', '/welcome', {
    link: link.hash.slice(1),
    ...firstPerson,
    email: 'eve@example.org',
  })
  assert.deepEqual([again.status, again.code], [410, 'link_over'])
  assert.match(again.message, /cairn init --link/)
})

test('no link, cookie or password is in the database or in the output of the server', async (t) => {
  const cairn = await startCairn({ env: { CAIRN_LOG_LEVEL: 'debug' } })
  let log = ''
  cairn.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  t.after(() => cairn.kill())
  const page = await takeFirstRun(cairn)
  const { body } = await page.ask('POST', '/me/tokens', {
    name: 'ci',
    role: 'operator',
    expires: null,
  })
  const made = await page.ask('POST', '/me/totp', { password })
  await page.ask('POST', '/session', { email, password: 'not the right one' })
  const secrets = {
    link: new URL(cairn.firstRunLink ?? '').hash.slice(1),
    cookie: page.cookie?.split('=')[1] ?? '',
    password,
    token: String(body['text']),
    totp: String(made.body['secret']),
    wrong: 'not the right one',
  }
  const database = ['cairn.db', 'cairn.db-wal']
    .map((name) => readFileSync(join(cairn.dataDir, name)).toString('latin1'))
    .join('')
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length > 8, name)
    assert.ok(!database.includes(secret), `${name} in the database`)
    assert.ok(!log.includes(secret), `${name} in the log`)
  }
})

test('a session is a cookie that scripts cannot read; each sign-in creates a new one', async () => {
  const page = await signIn()
  const first = page.cookie
  // Session fixation: a token created for this sign-in replaces any cookie of the browser.
  const planted = openAdminClient(shared.url)
  const { port } = new URL(shared.url)
  planted.cookie = `cairn-session-${port}=${'A'.repeat(27)}`
  const signedIn = await planted.ask('POST', '/session', { email, password })
  assert.match(
    signedIn.setCookie ?? '',
    new RegExp(`^cairn-session-${port}=[A-Za-z0-9_-]{27}; Path=/; .*HttpOnly; SameSite=Lax$`),
  )
  assert.ok(!planted.cookie?.includes('AAAA'))
  // A second sign-in ends the previous session.
  assert.equal((await page.ask('POST', '/session', { email, password })).status, 200)
  assert.notEqual(page.cookie, first)
  const old = openAdminClient(shared.url)
  old.cookie = first
  assert.equal((await old.ask('GET', '/me')).code, 'signed_out')
})

test('accepting an invitation ends the previous session of the browser', async () => {
  const page = await signIn()
  const before = page.cookie
  const { body } = await page.ask('POST', '/invitations', { role: 'owner', accountName: 'acme' })
  const grace = { email: 'grace@example.org', name: 'Grace', password: 'another stone there' }
  await page.ask('POST', '/welcome', { link: body['link'], ...grace })
  const me = (await page.ask('GET', '/me')).body['person'] as { email: string }
  assert.equal(me.email, grace.email)
  page.cookie = before
  assert.equal((await page.ask('GET', '/me')).code, 'signed_out')
})

test('signing out ends the session on the server, not only in the browser', async () => {
  const page = await signIn()
  const cookieBefore = page.cookie
  assert.match((await page.ask('DELETE', '/session')).setCookie ?? '', /Max-Age=0/)
  page.cookie = cookieBefore
  assert.equal((await page.ask('GET', '/me')).code, 'signed_out')
})

test('signing in requires a same-origin request', async () => {
  const page = openAdminClient(shared.url)
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  ]) {
    const refused = await page.ask('POST', '/session', { email, password }, headers)
    assert.equal(refused.code, 'foreign_origin')
    assert.equal(refused.setCookie, null)
  }
  const form = await page.ask(
    'POST',
    '/session',
    { email, password },
    { 'content-type': 'text/plain' },
  )
  assert.equal(form.code, 'wrong_media')
})

test('after ten wrong passwords in a row, the refusal contains the time to wait', async (t) => {
  // The eleventh attempt is permitted after one hour, regardless of the duration of the first ten.
  const cairn = await start(t, { CAIRN_ADMIN_FAILED_SIGN_INS_PER_HOUR: '1' })
  await takeFirstRun(cairn)
  const page = openAdminClient(cairn.url)
  for (let n = 0; n < 10; n++) {
    const wrong = await page.ask('POST', '/session', { email, password: `wrong ${n}` })
    assert.deepEqual([wrong.status, wrong.code], [401, 'bad_sign_in'])
  }
  const limited = await page.ask('POST', '/session', { email, password })
  assert.deepEqual([limited.status, limited.code], [429, 'over_rate'])
  const seconds = Number(/try again in (\d+) s$/.exec(limited.message)?.[1])
  assert.ok(seconds > 0 && seconds <= 3600, limited.message)
})

test('a changed password renews this session and ends all others', async () => {
  const operator = await signIn()
  const { body } = await operator.ask('POST', '/invitations', { role: 'owner', accountName: 'own' })
  const person = { email: 'changing@example.org', name: 'Cher', password }
  const page = openAdminClient(shared.url)
  await page.ask('POST', '/welcome', { link: body['link'], ...person })
  const other = openAdminClient(shared.url)
  const signedIn = await other.ask('POST', '/session', { email: person.email, password })
  assert.equal(signedIn.status, 200)
  const before = page.cookie
  const wrong = await page.ask('POST', '/me/password', {
    password: 'x',
    newPassword: 'a new stone on it',
  })
  assert.equal(wrong.code, 'bad_input')
  const changed = { password, newPassword: 'a new stone on it' }
  assert.equal((await page.ask('POST', '/me/password', changed)).status, 200)
  assert.notEqual(page.cookie, before)
  assert.equal((await page.ask('GET', '/me')).status, 200)
  assert.equal((await other.ask('GET', '/me')).code, 'signed_out')
})

test('a token acts for its person with its role, and cannot create another token', async () => {
  const page = await signIn()
  const make = async (role: string) => {
    const { body } = await page.ask('POST', '/me/tokens', { name: role, role, expires: null })
    return openAdminClient(shared.url, String(body['text']))
  }
  const [operator, member] = [await make('operator'), await make('member')]
  assert.equal((await operator.ask('GET', '/people')).status, 200)
  assert.equal((await member.ask('GET', '/people')).code, 'not_allowed')
  const accounts = (await member.ask('GET', '/accounts')).body['accounts'] as { role: string }[]
  assert.deepEqual(
    accounts.map(({ role }) => role),
    ['member'],
  )
  const more = { name: 'more', role: 'operator', expires: null }
  assert.equal((await operator.ask('POST', '/me/tokens', more)).code, 'not_allowed')
  const fresh = { password, newPassword: 'a new stone on it' }
  assert.equal((await operator.ask('POST', '/me/password', fresh)).code, 'not_allowed')
})

test('an invited person signs up and sees only their account', async () => {
  const page = await signIn()
  const invited = await page.ask('POST', '/invitations', { role: 'owner', accountName: 'visible' })
  const grace = openAdminClient(shared.url)
  const person = { email: 'guest@example.org', name: 'Grace', password: 'another stone there' }
  await grace.ask('POST', '/welcome', { link: invited.body['link'], ...person })
  const mine = (await grace.ask('GET', '/me')).body['accounts'] as { id: string; name: string }[]
  assert.deepEqual(
    mine.map(({ name }) => name),
    ['visible'],
  )
  const [other] = (await page.ask('GET', '/me')).body['accounts'] as { id: string }[]
  for (const path of ['members', 'invitations', 'audit', 'keys']) {
    assert.equal((await grace.ask('GET', `/accounts/${other?.id}/${path}`)).code, 'absent')
  }
  const own = `/accounts/${mine[0]?.id}`
  const link = await grace.ask('POST', `${own}/invitations`, { role: 'member' })
  const linus = openAdminClient(shared.url)
  await linus.ask('POST', '/welcome', {
    link: link.body['link'],
    ...person,
    email: 'linus@example.org',
  })
  assert.equal((await linus.ask('GET', `${own}/members`)).status, 200)
  assert.equal((await linus.ask('GET', `${own}/audit`)).code, 'not_allowed')
  const audit = (await grace.ask('GET', `${own}/audit`)).body['records'] as {
    action: string
    actorName: string
  }[]
  assert.deepEqual(
    audit.map(({ action, actorName }) => [action, actorName]),
    [['invite', 'guest@example.org']],
  )
})

test('an invitation with an email address is sent by mail, with a link to the configured host name', async (t) => {
  const sink = await startSmtpSink(t)
  const cairn = await start(t, {
    CAIRN_MAIL_URL: sink.url,
    CAIRN_MAIL_FROM: 'cairn@example.org',
    CAIRN_ADMIN_HOSTS: 'cairn.example.org',
  })
  const page = await takeFirstRun(cairn)
  const order = { role: 'owner', accountName: 'acme', email: 'grace@example.org' }
  const { body } = await page.ask('POST', '/invitations', order)
  assert.equal(body['mailed'], true)
  await sink.arrived(1)
  // Quoted-printable (RFC 2045) folds long lines and encodes = as =3D.
  const mail = (sink.mails[0] ?? '').replaceAll('=\r\n', '')
  assert.match(mail, /^To: grace@example\.org\r$/m)
  assert.ok(mail.includes(`https://cairn.example.org/dashboard/welcome#${String(body['link'])}`))
  const open = await page.ask('POST', '/invitations', { role: 'owner', accountName: 'beta' })
  assert.equal(open.body['mailed'], false)
})

test('each start replaces the first-run link until an operator exists', async (t) => {
  const dataDir = await temporaryFolder()
  const first = await startCairn({ dataDir })
  const { firstRunLink: old } = first
  await first.stop()
  const second = await startCairn({ dataDir })
  const over = await openAdminClient(second.url).ask('POST', '/welcome/look', {
    link: new URL(old ?? '').hash.slice(1),
  })
  assert.equal(over.code, 'link_over')
  await takeFirstRun(second)
  await second.stop()
  const third = await startCairn({ dataDir })
  t.after(() => third.stop())
  assert.equal(third.firstRunLink, null)
})

test('after the use of the link and an immediate kill -9, the operator exists and the link has expired', async (t) => {
  const dataDir = await temporaryFolder()
  const first = await startCairn({ dataDir })
  const page = await takeFirstRun(first)
  await first.kill()
  const second = await startCairn({ dataDir })
  t.after(() => second.stop())
  assert.equal(second.firstRunLink, null)
  const again = openAdminClient(second.url)
  again.cookie = cookieAt(page.cookie, second.url)
  assert.equal((await again.ask('GET', '/me')).status, 200)
  assert.equal((await again.ask('POST', '/session', { email, password })).status, 200)
})
