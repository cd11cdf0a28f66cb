// Email addresses and webhooks that receive alerts about limits, and the rules on errors and latency.
// Tested by test/browser/usage.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call, messageOf } from '../app/api.ts'
import { formatCount } from '../app/format.ts'
import { type KeyOptions, loadKeyOptions } from '../app/key-options.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import { AreaField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note, Show } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'
import { AlertRules, editedRules, sentRules } from './alert-rules.tsx'

const refreshMs = 10_000

type Alerts = AdminReply<'GET /accounts/{account}/alerts'>

export function AlertsCard({ account }: { readonly account: string }) {
  const alerts = useLoaded(
    async (signal) => {
      const found = await call('GET /accounts/{account}/alerts', { account }, signal)
      const wanted = found.rules.map(({ key }) => key ?? '')
      return { found, keys: await loadKeyOptions(account, { active: true, wanted }, signal) }
    },
    [account],
    { everyMs: refreshMs },
  )
  return (
    <Card
      title="Alerts"
      {...(hasRecipients(alerts.value?.found) ? { actions: <SendTest account={account} /> } : {})}
      about="Cairn sends one alert at 75, 85 and 100% of a limit (units per day, bytes per month, storage), and alerts on errors and latency by your rules."
    >
      <Show loaded={alerts}>
        {({ found, keys }) => (
          <Targets
            key={account}
            account={account}
            alerts={found}
            keys={keys}
            again={alerts.again}
          />
        )}
      </Show>
    </Card>
  )
}

function Targets({
  account,
  alerts,
  keys,
  again,
}: {
  readonly account: string
  readonly alerts: Alerts
  /** Active keys. */
  readonly keys: KeyOptions
  again(): void
}) {
  const [emails, setEmails] = useState(alerts.emails.join('\n'))
  const [webhooks, setWebhooks] = useState(alerts.webhooks.join('\n'))
  const [rules, setRules] = useState(editedRules(alerts.rules))
  const sending = useSending()
  const toast = useToast()
  return (
    <Form
      sending={sending}
      action="Save alerts"
      fields={['emails', 'webhooks', 'rules']}
      onSend={async () => {
        await call('PUT /accounts/{account}/alerts', {
          account,
          emails: [...linesOf(emails)],
          webhooks: [...linesOf(webhooks)],
          rules: sentRules(rules),
        })
        again()
        toast('Alerts saved')
      }}
    >
      <AreaField
        title="Email addresses"
        hint="One per line, up to 10."
        value={emails}
        error={sending.of('emails')}
        onValue={setEmails}
      />
      {!alerts.sendsMail && (
        <Note tone="warn">
          Cairn sends no email yet: an operator must set a mail server (mail.url).
        </Note>
      )}
      <AreaField
        title="Webhooks"
        hint="One https URL per line, up to 5. Cairn sends JSON, signed with the secret below."
        value={webhooks}
        error={sending.of('webhooks')}
        onValue={setWebhooks}
      />
      <AlertRules
        rules={rules}
        saved={alerts.rules}
        keys={keys}
        error={sending.of('rules')}
        onRules={setRules}
      />
      <div class="field">
        <span class="field-title">Signing secret of the webhooks</span>
        <Value text={alerts.secret} title="Copy the secret" />
      </div>
    </Form>
  )
}

function hasRecipients(alerts: Alerts | undefined): boolean {
  return alerts !== undefined && alerts.emails.length + alerts.webhooks.length > 0
}

/** Sends a test to the saved recipients. */
function SendTest({ account }: { readonly account: string }) {
  const [busy, setBusy] = useState(false)
  const toast = useToast()
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      const { sent } = await call('POST /accounts/{account}/alerts/test', { account })
      const failed = sent.filter(({ error }) => error !== null)
      for (const { to, error } of failed) toast(`${to}: ${error}`, 'bad')
      const accepted = sent.length - failed.length
      if (accepted > 0) toast(`Test sent to ${formatCount(accepted, 'recipient')}`)
    } catch (thrown) {
      toast(messageOf(thrown), 'bad')
    }
    setBusy(false)
  }
  return (
    <button class="button small" type="button" disabled={busy} onClick={() => void send()}>
      Send a test
    </button>
  )
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
