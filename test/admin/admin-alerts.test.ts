// Alerts through the admin operations: owners set the recipients, and a started server sends each alert once.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { signatureOf } from '../../src/access/alerts/send-alerts.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { startSmtpSink } from '../fakes/people/smtp-sink.ts'
import { startCairn } from '../started-server.ts'

type Hook = { readonly headers: Record<string, unknown>; readonly body: string }

async function startHookSink(t: TestContext) {
  const hooks: Hook[] = []
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      hooks.push({ headers: request.headers, body })
      response.writeHead(204).end()
      for (const resolve of waiting) resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const arrived = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (hooks.length > 0) resolve()
    })
  return { url: `http://127.0.0.1:${port}/hook`, hooks, arrived }
}

// Each waits for the server's next look at usage, so they wait at the same time.
suite('alerts', { concurrency: true }, () => {
  test('a key close to its daily units causes one email and one signed webhook', async (t) => {
    const mail = await startSmtpSink(t)
    const hook = await startHookSink(t)
    const cairn = await startCairn({
      env: {
        CAIRN_MAIL_URL: mail.url,
        CAIRN_MAIL_FROM: 'Cairn <cairn@example.com>',
        CAIRN_ALERTS_WEBHOOKS_ANYWHERE: 'true',
      },
    })
    try {
      const page = await takeFirstRun(cairn)
      const { accounts } = (await page.ask('GET', '/accounts')).body as {
        accounts: { id: string }[]
      }
      const path = `/accounts/${accounts[0]?.id}/alerts`
      const none = await page.ask('GET', path)
      assert.partialDeepStrictEqual(none.body, { emails: [], webhooks: [], sendsMail: true })
      const nowhere = await page.ask('POST', `${path}/test`)
      assert.match(nowhere.message ?? '', /no recipients/)
      const targets = { emails: ['ops@example.com'], webhooks: [hook.url] }
      const set = await page.ask('PUT', path, targets)
      assert.equal(set.status, 200, set.message)
      assert.partialDeepStrictEqual(set.body, targets)
      for (const wrong of [
        { ...targets, emails: ['no address'] },
        { ...targets, webhooks: ['ftp://example.com/'] },
        { ...targets, webhooks: Array<string>(6).fill(hook.url) },
        { ...targets, more: true },
      ]) {
        assert.equal((await page.ask('PUT', path, wrong)).code, 'bad_input')
      }
      const key = await cairn.cli('keys', 'create', '--units-per-day', '100')
      const call = () =>
        fetch(`${cairn.url}/v3/${String(key['apiKey'])}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}',
        })
      assert.equal((await call()).status, 200)
      await Promise.all([hook.arrived(), mail.arrived(1)])
      const [{ headers, body } = { headers: {}, body: '' }] = hook.hooks
      const event = JSON.parse(body) as Record<string, unknown>
      assert.partialDeepStrictEqual(event, { type: 'limit', limit: 'unitsPerDay', max: 100 })
      const seconds = Number(headers['x-cairn-timestamp'])
      const secret = String(set.body['secret'])
      assert.equal(headers['x-cairn-signature'], `v1=${signatureOf(secret, seconds, body)}`)
      assert.match(mail.mails[0] ?? '', /^Subject: Cairn: \d+ % of units of the day/m)
      assert.deepEqual([hook.hooks.length, mail.mails.length], [1, 1])
      const tested = await page.ask('POST', `${path}/test`)
      assert.deepEqual(tested.body['sent'], [
        { kind: 'email', to: 'ops@example.com', error: null },
        { kind: 'webhook', to: hook.url, error: null },
      ])
      assert.deepEqual(JSON.parse(hook.hooks[1]?.body ?? '').type, 'test')
      assert.match(mail.mails[1] ?? '', /^Subject: Cairn: test alert of /m)
      assert.equal((await page.ask('POST', `${path}/test`)).code, 'over_rate')
    } finally {
      await cairn.stop()
    }
  })

  test('a rule on errors of a key causes one email and one signed webhook, and is shown as broken', async (t) => {
    const mail = await startSmtpSink(t)
    const hook = await startHookSink(t)
    const cairn = await startCairn({
      env: {
        CAIRN_MAIL_URL: mail.url,
        CAIRN_MAIL_FROM: 'Cairn <cairn@example.com>',
        CAIRN_ALERTS_WEBHOOKS_ANYWHERE: 'true',
      },
    })
    try {
      const page = await takeFirstRun(cairn)
      const { accounts } = (await page.ask('GET', '/accounts')).body as {
        accounts: { id: string }[]
      }
      const account = `/accounts/${accounts[0]?.id}`
      const { keys } = (await page.ask('GET', `${account}/keys`)).body as { keys: { id: string }[] }
      const key = keys[0]?.id ?? ''
      const rule = { measure: 'errors', above: 50, minutes: 5, key }
      const targets = { emails: ['ops@example.com'], webhooks: [hook.url] }
      for (const wrong of [
        { ...rule, above: 100 },
        { ...rule, above: 0 },
        { ...rule, measure: 'p50' },
        { ...rule, minutes: 61 },
      ]) {
        const refused = await page.ask('PUT', `${account}/alerts`, { ...targets, rules: [wrong] })
        assert.equal(refused.code, 'bad_input', JSON.stringify(wrong))
      }
      const foreign = { ...targets, rules: [{ ...rule, key: 'key_of_another' }] }
      assert.equal((await page.ask('PUT', `${account}/alerts`, foreign)).code, 'absent')
      const set = await page.ask('PUT', `${account}/alerts`, { ...targets, rules: [rule, rule] })
      assert.deepEqual(set.body['rules'], [{ ...rule, since: null }], set.message)
      await Promise.all(Array.from({ length: 30 }, () => cairn.rpc('eth_getBalance', ['nothing'])))
      await Promise.all([hook.arrived(), mail.arrived(1)])
      const [{ headers, body } = { headers: {}, body: '' }] = hook.hooks
      assert.partialDeepStrictEqual(JSON.parse(body), {
        type: 'rule',
        state: 'open',
        key: { id: key },
        measure: 'errors',
        value: 100,
        calls: 30,
      })
      const seconds = Number(headers['x-cairn-timestamp'])
      const secret = String(set.body['secret'])
      assert.equal(headers['x-cairn-signature'], `v1=${signatureOf(secret, seconds, body)}`)
      assert.match(mail.mails[0] ?? '', /^Subject: Cairn: 100 % calls without an answer, key/m)
      const kept = await page.ask('PUT', `${account}/alerts`, targets)
      const [shown] = kept.body['rules'] as { since: number | null }[]
      assert.ok(shown !== undefined && shown.since !== null, 'kept, and broken')
      assert.deepEqual([hook.hooks.length, mail.mails.length], [1, 1])
    } finally {
      await cairn.stop()
    }
  })

  test('by default, webhooks cannot use a private address or plain HTTP', async () => {
    const cairn = await startCairn()
    try {
      const page = await takeFirstRun(cairn)
      const { accounts } = (await page.ask('GET', '/accounts')).body as {
        accounts: { id: string }[]
      }
      const path = `/accounts/${accounts[0]?.id}/alerts`
      const wrong = { emails: [], webhooks: ['http://example.com/hook'] }
      assert.equal((await page.ask('PUT', path, wrong)).code, 'bad_input')
      for (const host of [
        'localhost',
        'LOCALHOST.',
        'a.localhost',
        '169.254.169.254',
        '[fd00:ec2::254]',
        'metadata.google.internal',
        'metadata',
        'instance-data.ec2.internal',
        'metadata.tencentyun.com',
        'printer.local',
        'router.home.arpa',
      ]) {
        const inside = { emails: [], webhooks: [`https://${host}/hook`] }
        assert.equal((await page.ask('PUT', path, inside)).code, 'bad_input', host)
      }
      assert.partialDeepStrictEqual((await page.ask('GET', path)).body, { sendsMail: false })
    } finally {
      await cairn.stop()
    }
  })
})
