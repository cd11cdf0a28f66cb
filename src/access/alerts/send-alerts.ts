// Sends alerts: a mail to each address, a signed document to each webhook, with a few retries. Receivers of a document check its
// origin by the signature and its age by the timestamp.
import { createHmac } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { AlertTargets } from './alert-targets.ts'
import type { Alert } from './alert-watch.ts'
import type { OutboundPost } from './outbound-post.ts'
import type { RuleAlert } from './rule-watch.ts'
import type { Mailer } from './send-mail.ts'

/** An alert about a limit, or about a rule on errors or latency. */
type AnyAlert = Alert | RuleAlert

export type AlertSender = {
  send(alert: AnyAlert, targets: AlertTargets): void
  /** Sends a test to each recipient, without retries. Throws `over_rate` within 30 s of the account's last test. */
  test(
    account: { readonly id: string; readonly name: string },
    targets: AlertTargets,
  ): Promise<readonly TestResult[]>
  /** Stops retrying. */
  stop(): void
}

/** `error`: null if the mail server or the webhook accepted it. */
type TestResult = {
  readonly kind: 'email' | 'webhook'
  readonly to: string
  readonly error: string | null
}

/** Pause between tests of an account, because its owner may name any address. */
const testPauseMs = 30_000
const errorCharsMax = 300
/** Pauses before the second, third and fourth attempt. */
const pausesMs = [10_000, 60_000, 600_000]
/** Maximum number of mails and documents in flight. */
const underwayMax = 500

/** `secretOf`: returns the signing secret for the webhooks of an account. */
export function createAlertSender(parts: {
  readonly outward: OutboundPost
  readonly mailer: Mailer
  readonly secretOf: (accountId: string) => string
  readonly clock: Clock
  readonly log: Log
}): AlertSender {
  const { outward, mailer, clock, log } = parts
  const pendingRetries = new Set<() => void>()
  /** Times of tests within the pause, by account. */
  const lastTests = new Map<string, number>()
  let underway = 0
  let stopped = false

  function start(kind: 'mail' | 'webhook', alert: AnyAlert, run: () => Promise<void>): void {
    if (underway >= underwayMax) {
      log('error', 'alert_dropped', { kind, accountId: alert.accountId, underway })
      return
    }
    underway++
    void attempt(0)

    async function attempt(tries: number): Promise<void> {
      try {
        await run()
      } catch (error) {
        const pauseMs = pausesMs[tries]
        // The message may contain the address, never the URL, which may contain a secret.
        const fields = { kind, accountId: alert.accountId, tries: tries + 1, error }
        if (pauseMs === undefined || stopped) log('error', 'alert_not_sent', fields)
        else {
          log('warn', 'alert_tried', fields)
          return again(tries + 1, pauseMs)
        }
      }
      underway--
    }

    function again(tries: number, pauseMs: number): void {
      const cancel = clock.after(pauseMs, () => {
        pendingRetries.delete(cancel)
        void attempt(tries)
      })
      pendingRetries.add(cancel)
    }
  }

  async function post(url: string, accountId: string, document: object): Promise<void> {
    const body = JSON.stringify(document)
    const seconds = Math.floor(clock.now() / 1000)
    const status = await outward.post(url, body, {
      'x-cairn-timestamp': String(seconds),
      'x-cairn-signature': `v1=${signatureOf(parts.secretOf(accountId), seconds, body)}`,
    })
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`)
  }

  return {
    send(alert, { emails, webhooks }) {
      const document = 'rule' in alert ? ruleDocumentOf(alert) : documentOf(alert)
      for (const url of webhooks) {
        start('webhook', alert, () => post(url, alert.accountId, document))
      }
      if (!mailer.canSend()) return
      const { subject, text } = 'rule' in alert ? ruleMailOf(alert) : mailOf(alert)
      for (const to of emails) start('mail', alert, () => mailer.send({ to, subject, text }))
    },
    async test(account, { emails, webhooks }) {
      const now = clock.now()
      for (const [id, time] of lastTests) if (now - time >= testPauseMs) lastTests.delete(id)
      if (lastTests.has(account.id)) {
        const detail = `the account sent a test within ${testPauseMs / 1000} seconds: try again later`
        throw new Fault('over_rate', { detail })
      }
      lastTests.set(account.id, now)
      const document = { type: 'test', account, time: new Date(now).toISOString() }
      const subject = subjectOf(`test alert of ${account.name}`)
      const text = `Alerts of the account ${account.name} reach this address.\n`
      return await Promise.all([
        ...emails.map((to) => tried('email', to, () => mailer.send({ to, subject, text }))),
        ...webhooks.map((to) => tried('webhook', to, () => post(to, account.id, document))),
      ])
    },
    stop() {
      stopped = true
      for (const cancel of pendingRetries) cancel()
    },
  }
}

async function tried(
  kind: TestResult['kind'],
  to: string,
  run: () => Promise<void>,
): Promise<TestResult> {
  try {
    await run()
    return { kind, to, error: null }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown)
    return { kind, to, error: error.slice(0, errorCharsMax) }
  }
}

/** HMAC-SHA256 of `<seconds>.<body>`, as hex. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
}

function documentOf({ accountId, accountName, key, limit, level, used, max, ...times }: Alert) {
  return {
    type: 'limit',
    account: { id: accountId, name: accountName },
    key,
    limit,
    level,
    used,
    max,
    period: new Date(times.period).toISOString(),
    time: new Date(times.time).toISOString(),
  }
}

function ruleDocumentOf({ accountId, accountName, key, rule, state, value, ...alert }: RuleAlert) {
  return {
    type: 'rule',
    state,
    account: { id: accountId, name: accountName },
    key,
    measure: rule.measure,
    above: rule.above,
    minutes: rule.minutes,
    value: value === null ? null : Number(value.toFixed(2)),
    calls: alert.calls,
    since: new Date(alert.since).toISOString(),
    time: new Date(alert.time).toISOString(),
  }
}

const limitNames = {
  unitsPerDay: 'units of the day',
  filesStoredBytes: 'bytes stored',
  filesUploadBytesPerMonth: 'bytes uploaded this month',
  filesDownloadBytesPerMonth: 'bytes downloaded this month',
} as const satisfies Record<Alert['limit'], string>

function describeHolder({ accountName, key }: Pick<AnyAlert, 'accountName' | 'key'>): string {
  return key === null ? `account ${accountName}` : `key ${key.name || key.id} of ${accountName}`
}

/** Removes line breaks, which a name may contain. */
function subjectOf(text: string): string {
  return `Cairn: ${text}`.replaceAll(/[\r\n]+/g, ' ')
}

function mailOf(alert: Alert) {
  const { limit, level, used, max } = alert
  const holder = describeHolder(alert)
  const subject = subjectOf(`${level} % of ${limitNames[limit]}, ${holder}`)
  const full = level === 100 ? '\n\nWhat goes beyond it is refused.' : ''
  const text = `The ${holder} has used ${used} of ${max} ${limitNames[limit]}: ${level} %.${full}\n`
  return { subject, text }
}

const measureNames = {
  errors: 'calls without an answer',
  failed: 'calls that failed on our side',
  p95: 'latency, p95',
  p99: 'latency, p99',
} as const satisfies Record<RuleAlert['rule']['measure'], string>

function ruleMailOf(alert: RuleAlert) {
  const { rule, state, value, calls, since } = alert
  const { measure, above, minutes } = rule
  const holder = describeHolder(alert)
  const unit = measure === 'errors' || measure === 'failed' ? '%' : 'ms'
  const found = value === null ? 'no calls' : `${Number(value.toFixed(1))} ${unit}`
  const name = measureNames[measure]
  const isOpen = state === 'open'
  const subject = subjectOf(isOpen ? `${found} ${name}, ${holder}` : `resolved: ${name}, ${holder}`)
  const began = new Date(since).toISOString()
  const lines = [
    `The ${holder}, last ${minutes} min: ${name}: ${found}, of ${calls} calls. The alert is set above ${above} ${unit}.`,
    isOpen
      ? 'The next message about this rule comes when it is resolved.'
      : `The incident began at ${began}.`,
  ]
  return { subject, text: `${lines.join('\n\n')}\n` }
}
