// All accounts of the server: for operators.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
import { call } from '../app/api.ts'
import { formatDay } from '../app/format.ts'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Badge } from '../ui/badge.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { Cancel, Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Icon } from '../ui/icons.tsx'
import { NameField } from '../ui/name-field.tsx'
import { Show } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { checkLimits, LimitField } from './keys/limit-field.tsx'

type Account = AdminReply<'GET /accounts'>['accounts'][number]

export function AccountsPage() {
  const { account: chosen, chooseAccount, reload } = useSession()
  const [making, setMaking] = useState(false)
  const [changing, setChanging] = useState<Account | null>(null)
  const accounts = useLoaded((signal) => call('GET /accounts', {}, signal), [])
  const changed = (): void => {
    accounts.again()
    reload()
  }
  return (
    <>
      <PageHead
        title="Accounts"
        about="Who owns keys, pins and usage on this server."
        actions={
          <button class="button primary" type="button" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New account
          </button>
        }
      />
      <Card flush>
        <Show loaded={accounts}>
          {({ accounts: rows }) => (
            <Table
              caption="Accounts"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                { title: 'Created', cell: ({ created }) => formatDay(created) },
                {
                  title: 'Card',
                  cell: ({ hasCard }) => (
                    <Badge tone={hasCard ? 'good' : 'plain'}>{hasCard ? 'On file' : 'None'}</Badge>
                  ),
                },
                {
                  title: 'Change',
                  actions: true,
                  cell: (account) => (
                    <span class="row end">
                      <button
                        class="button small"
                        type="button"
                        disabled={account.id === chosen?.id}
                        onClick={() => chooseAccount(account.id)}
                      >
                        {account.id === chosen?.id ? 'Looked at' : 'Look at it'}
                      </button>
                      <button
                        class="button small"
                        type="button"
                        onClick={() => setChanging(account)}
                      >
                        Change
                      </button>
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Show>
      </Card>
      {making && <CreateAccount onMade={changed} onClose={() => setMaking(false)} />}
      {changing !== null && (
        <ChangeAccount account={changing} onChanged={changed} onClose={() => setChanging(null)} />
      )}
    </>
  )
}

function CreateAccount({ onMade, onClose }: { onMade(): void; onClose(): void }) {
  const sending = useSending()
  const [name, setName] = useState('')
  const [hasCard, setHasCard] = useState(false)
  return (
    <Dialog title="New account" onClose={onClose}>
      <Form
        sending={sending}
        action="Make the account"
        fields={['name']}
        onSend={async () => {
          await call('POST /accounts', { name: name.trim(), hasCard })
          onMade()
          onClose()
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <NameField value={name} sending={sending} onValue={setName} />
        <CheckField
          title="Has a card on file"
          hint="Without one the file API refuses it."
          value={hasCard}
          onValue={setHasCard}
        />
      </Form>
    </Dialog>
  )
}

const mib = 1024 * 1024

function ChangeAccount({
  account,
  onChanged,
  onClose,
}: {
  readonly account: Account
  onChanged(): void
  onClose(): void
}) {
  const sending = useSending()
  const [name, setName] = useState(account.name)
  const [settings, setSettings] = useState(account.settings)
  const limit = (member: keyof Account['settings'], title: string) => (
    <LimitField
      title={`${title}, MiB`}
      unit={mib}
      value={settings[member]}
      error={sending.of(`settings.${member}`)}
      onValue={(value) => setSettings({ ...settings, [member]: value })}
    />
  )
  return (
    <Dialog title={account.name} onClose={onClose}>
      <Form
        sending={sending}
        action="Save"
        fields={['name', ...Object.keys(settings).map((member) => `settings.${member}`)]}
        onSend={async () => {
          checkLimits(settings)
          const sent = { account: account.id, name: name.trim(), settings }
          await call('PATCH /accounts/{account}', sent)
          onChanged()
          onClose()
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <NameField value={name} sending={sending} onValue={setName} />
        <p class="hint">Limits of all its keys together. Empty is no limit, 0 is nothing.</p>
        {limit('filesStoredBytes', 'Stored')}
        {limit('filesUploadBytesPerMonth', 'Sent in a month')}
        {limit('filesDownloadBytesPerMonth', 'Received in a month')}
      </Form>
    </Dialog>
  )
}
