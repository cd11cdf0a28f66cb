// Settings of the server as operators see them, and the test mail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAdminClient, takeFirstRun, firstPerson } from '../fakes/people/admin-client.ts'
import { startSmtpSink } from '../fakes/people/smtp-sink.ts'
import { startCairn } from '../started-server.ts'

test('operators see the settings of sign-in, mail and access, without secrets', async (t) => {
  const cairn = await startCairn({
    env: {
      CAIRN_MAIL_URL: 'smtp://postman:hidden-word@127.0.0.1:2525',
      CAIRN_MAIL_FROM: 'Cairn <cairn@example.com>',
      CAIRN_SIGN_IN_SECOND_FACTOR: 'optional',
      CAIRN_SIGN_IN_OIDC_ISSUER: 'http://127.0.0.1:9/realm',
      CAIRN_SIGN_IN_OIDC_CLIENT_ID: 'cairn',
      CAIRN_SIGN_IN_OIDC_CLIENT_SECRET: 'another-hidden-word',
      CAIRN_ADMIN_HOSTS: 'cairn.example.com',
    },
  })
  t.after(() => cairn.stop())
  assert.equal((await openAdminClient(cairn.url).ask('GET', '/server-settings')).status, 401)
  const operator = await takeFirstRun(cairn)
  const { status, body } = await operator.ask('GET', '/server-settings')
  assert.equal(status, 200)
  assert.doesNotMatch(JSON.stringify(body), /hidden|postman/)
  assert.deepEqual(body['mail'], { server: '127.0.0.1:2525', from: 'Cairn <cairn@example.com>' })
  assert.deepEqual(body['signIn'], {
    password: true,
    secondFactor: 'optional',
    openId: {
      name: 'OpenID',
      issuer: 'http://127.0.0.1:9/realm',
      clientId: 'cairn',
      hasSecret: true,
      signUp: 'invitation',
      domains: null,
      rules: 0,
    },
  })
  assert.equal((body['admin'] as { hosts: string }).hosts, 'cairn.example.com')
})

test('a test mail reaches the operator, and a mail server that fails is reported', async (t) => {
  const mail = await startSmtpSink(t)
  const env = { CAIRN_MAIL_URL: mail.url, CAIRN_MAIL_FROM: 'Cairn <cairn@example.com>' }
  const cairn = await startCairn({ env })
  t.after(() => cairn.stop())
  const operator = await takeFirstRun(cairn)
  const sent = await operator.ask('POST', '/server-settings/test-mail')
  assert.deepEqual(sent.body, { to: firstPerson.email }, sent.message)
  await mail.arrived(1)
  assert.match(mail.mails[0] ?? '', /Subject: Test mail of Cairn/)
  assert.match(mail.mails[0] ?? '', new RegExp(`To: ${firstPerson.email}`))

  const away = await startCairn({ env: { ...env, CAIRN_MAIL_URL: 'smtp://127.0.0.1:9' } })
  t.after(() => away.stop())
  const failed = await (await takeFirstRun(away)).ask('POST', '/server-settings/test-mail')
  assert.equal(failed.code, 'command_failed')
  assert.match(failed.message, /the mail server did not accept the mail: .*ECONNREFUSED/)
  const none = await startCairn()
  t.after(() => none.stop())
  const absent = await (await takeFirstRun(none)).ask('POST', '/server-settings/test-mail')
  assert.equal(absent.code, 'absent')
  assert.match(absent.message, /mail\.url and mail\.from/)
})
