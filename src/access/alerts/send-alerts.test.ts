import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { startSmtpSink } from '../../../test/fakes/people/smtp-sink.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import type { Alert } from './alert-watch.ts'
import type { RuleAlert } from './rule-watch.ts'
import { createAlertSender, signatureOf } from './send-alerts.ts'
import { createMailer } from './send-mail.ts'

const alert: Alert = {
  accountId: 'a',
  accountName: 'acme',
  key: { id: 'k1', name: 'web' },
  limit: 'unitsPerDay',
  level: 85,
  used: 850,
  max: 1000,
  period: Date.UTC(2026, 0, 31),
  time: Date.UTC(2026, 0, 31, 12),
}
const noMail = createMailer(() => ({ url: null, from: null }))

type Posted = {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

function rig(statuses: readonly (number | Error)[], mailer = noMail) {
  const clock = createManualClock(Date.UTC(2026, 0, 31, 12))
  const posted: Posted[] = []
  const logged: string[] = []
  const sender = createAlertSender({
    outward: {
      async post(url, body, headers) {
        posted.push({ url, body, headers })
        const status = statuses[posted.length - 1] ?? 200
        if (status instanceof Error) throw status
        return status
      },
    },
    mailer,
    secretOf: (accountId) => `secret of ${accountId}`,
    clock,
    log: (_level, event) => logged.push(event),
  })
  const settle = async () => {
    for (let n = 0; n < 20; n++) await setImmediate()
  }
  return { clock, posted, logged, sender, settle }
}

const ruleAlert: RuleAlert = {
  accountId: 'a',
  accountName: 'acme',
  key: null,
  rule: { measure: 'errors', above: 10, minutes: 5, key: null },
  state: 'open',
  value: 100 / 3,
  calls: 30,
  since: Date.UTC(2026, 0, 31, 12),
  time: Date.UTC(2026, 0, 31, 12),
}

test('a test goes once to each recipient, says what failed, and waits 30 seconds for the next', async (t) => {
  const smtp = await startSmtpSink(t)
  const mailer = createMailer(() => ({ url: smtp.url, from: 'cairn@example.com' }))
  const { clock, posted, sender } = rig([204, 500, new Error('no route')], mailer)
  const account = { id: 'a', name: 'acme' }
  const webhooks = ['https://a.example/', 'https://b.example/', 'https://c.example/']
  const results = await sender.test(account, { emails: ['ops@example.com'], webhooks })
  assert.deepEqual(
    results.map(({ kind, error }) => [kind, error]),
    [
      ['email', null],
      ['webhook', null],
      ['webhook', 'the webhook answered 500'],
      ['webhook', 'no route'],
    ],
  )
  assert.equal(posted.length, 3)
  const [{ body, headers } = assert.fail('nothing was posted')] = posted
  assert.deepEqual(JSON.parse(body), { type: 'test', account, time: '2026-01-31T12:00:00.000Z' })
  const signature = signatureOf('secret of a', Number(headers['x-cairn-timestamp']), body)
  assert.equal(headers['x-cairn-signature'], `v1=${signature}`)
  const none = { emails: [], webhooks: [] }
  await assert.rejects(sender.test(account, none), { code: 'over_rate' })
  assert.deepEqual(await sender.test({ id: 'b', name: 'other' }, none), [])
  clock.advance(30_000)
  assert.deepEqual(await sender.test(account, none), [])
})

test('an alert on errors says what was measured, as a document and as a mail', async (t) => {
  const smtp = await startSmtpSink(t)
  const mailer = createMailer(() => ({ url: smtp.url, from: 'cairn@example.com' }))
  const { posted, sender, settle } = rig([204], mailer)
  sender.send(ruleAlert, { emails: ['ops@example.com'], webhooks: ['https://example.com/'] })
  await Promise.all([settle(), smtp.arrived(1)])
  assert.deepEqual(JSON.parse(posted[0]?.body ?? ''), {
    type: 'rule',
    state: 'open',
    account: { id: 'a', name: 'acme' },
    key: null,
    measure: 'errors',
    above: 10,
    minutes: 5,
    value: 33.33,
    calls: 30,
    since: '2026-01-31T12:00:00.000Z',
    time: '2026-01-31T12:00:00.000Z',
  })
  assert.match(
    smtp.mails[0] ?? '',
    /^Subject: Cairn: 33\.3 % calls without an answer, account acme/m,
  )
  sender.send(
    { ...ruleAlert, state: 'resolved', value: null },
    { emails: ['ops@example.com'], webhooks: [] },
  )
  await smtp.arrived(2)
  assert.match(smtp.mails[1] ?? '', /^Subject: Cairn: resolved: calls without an answer/m)
})

test('a webhook gets a document with its time, signed for its account', async () => {
  const { posted, sender, settle } = rig([204])
  sender.send(alert, { emails: ['none@example.com'], webhooks: ['https://example.com/hook'] })
  await settle()
  assert.equal(posted.length, 1)
  const { url, body, headers } = posted[0] as Posted
  assert.equal(url, 'https://example.com/hook')
  assert.deepEqual(JSON.parse(body), {
    type: 'limit',
    account: { id: 'a', name: 'acme' },
    key: { id: 'k1', name: 'web' },
    limit: 'unitsPerDay',
    level: 85,
    used: 850,
    max: 1000,
    period: '2026-01-31T00:00:00.000Z',
    time: '2026-01-31T12:00:00.000Z',
  })
  const seconds = Date.UTC(2026, 0, 31, 12) / 1000
  assert.equal(headers['x-cairn-timestamp'], String(seconds))
  assert.equal(headers['x-cairn-signature'], `v1=${signatureOf('secret of a', seconds, body)}`)
  assert.notEqual(signatureOf('another', seconds, body), signatureOf('secret of a', seconds, body))
})

test('a webhook that fails is tried again, four times in all, with longer and longer pauses', async () => {
  const { clock, posted, logged, sender, settle } = rig([500, new Error('refused'), 302, 500])
  sender.send(alert, { emails: [], webhooks: ['https://example.com/'] })
  const counts: number[] = []
  for (const ms of [0, 10_000, 60_000, 600_000, 6_000_000]) {
    clock.advance(ms)
    await settle()
    counts.push(posted.length)
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 4])
  assert.deepEqual(logged, ['alert_tried', 'alert_tried', 'alert_tried', 'alert_not_sent'])
})

test('pending alerts are limited, and stop ends the retries', async () => {
  const { clock, posted, logged, sender, settle } = rig(Array<number>(2000).fill(500))
  for (let n = 0; n < 501; n++)
    sender.send(alert, { emails: [], webhooks: ['https://example.com/'] })
  assert.deepEqual(logged, ['alert_dropped'])
  await settle()
  sender.stop()
  clock.advance(10_000)
  await settle()
  assert.equal(posted.length, 500)
})

test('a mail names the owner of the limit, and a name cannot inject mail headers', async (t) => {
  const sink = await startSmtpSink(t)
  const mailer = createMailer(() => ({ url: sink.url, from: 'Cairn <cairn@example.com>' }))
  const { sender } = {
    sender: createAlertSender({
      ...rig([]),
      outward: { post: async () => 200 },
      mailer,
      secretOf: () => '',
      log: (_level, event) => assert.fail(event),
    }),
  }
  const forged = { ...alert, accountName: 'acme\r\nBcc: all@example.com' }
  sender.send(forged, { emails: ['ops@example.com'], webhooks: [] })
  await sink.arrived(1)
  const [mail = ''] = sink.mails
  const [head = '', body = ''] = mail.split('\r\n\r\n', 2)
  assert.match(head, /^To: ops@example\.com$/m)
  assert.match(head, /^From: Cairn <cairn@example\.com>$/m)
  assert.match(head, /^Subject: Cairn: 85 % of units of the day, key web of acme/m)
  assert.doesNotMatch(head, /^Bcc:/m)
  assert.match(body, /850 of 1000 units of the day: 85 %/)
})
