// Email addresses and webhooks that receive alerts about limits.
// Tested by test/browser/usage.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import { AreaField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note, Show } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'

type Alerts = AdminReply<'GET /accounts/{account}/alerts'>

export function AlertsCard({ account }: { readonly account: string }) {
  const alerts = useLoaded(
    (signal) => call('GET /accounts/{account}/alerts', { account }, signal),
    [account],
  )
  return (
    <Card
      title="Alerts"
      about="Cairn sends one alert at 75, 85 and 100 % of a limit: units per day, bytes per month, storage."
    >
      <Show loaded={alerts}>
        {(value) => <Targets key={account} account={account} alerts={value} />}
      </Show>
    </Card>
  )
}

function Targets({ account, alerts }: { readonly account: string; readonly alerts: Alerts }) {
  const [emails, setEmails] = useState(alerts.emails.join('\n'))
  const [webhooks, setWebhooks] = useState(alerts.webhooks.join('\n'))
  const sending = useSending()
  const toast = useToast()
  return (
    <Form
      sending={sending}
      action="Save alerts"
      fields={['emails', 'webhooks']}
      onSend={async () => {
        await call('PUT /accounts/{account}/alerts', {
          account,
          emails: [...linesOf(emails)],
          webhooks: [...linesOf(webhooks)],
        })
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
      <div class="field">
        <span class="field-title">Signing secret of the webhooks</span>
        <Value text={alerts.secret} title="Copy the secret" />
      </div>
    </Form>
  )
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
