// All accounts of the server, for operators.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatBytes, formatNumber } from '../app/format.ts'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Badge } from '../ui/badge.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { Day } from '../ui/day.tsx'
import { Cancel, Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { NameField } from '../ui/name-field.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { SearchBox } from '../ui/toolbar.tsx'
import { checkLimits, LimitField } from './keys/limit-field.tsx'

type Account = AdminReply<'GET /accounts'>['accounts'][number]

export function AccountsPage() {
  const { account: chosen, chooseAccount, reload } = useSession()
  const [creating, setCreating] = useState(false)
  const [text, setText] = useState('')
  const [changing, setChanging] = useState<Account | null>(null)
  const accounts = useLoaded((signal) => call('GET /accounts', {}, signal), [])
  const storage = useLoaded((signal) => call('GET /storage', {}, signal), [])
  const stored = new Map(storage.value?.accounts.map((one) => [one.account, one]))
  const changed = (): void => {
    accounts.again()
    reload()
  }
  return (
    <>
      <PageHead
        title="Accounts"
        about="Accounts own the API keys, pins and usage of this server."
        actions={
          <button class="button primary" type="button" onClick={() => setCreating(true)}>
            <Icon name="plus" /> Create account
          </button>
        }
      />
      <div class="toolbar">
        <SearchBox title="Name" value={text} onValue={setText} />
      </div>
      <Card flush>
        <Show loaded={accounts}>
          {({ accounts: rows }) => (
            <Table
              caption="Accounts"
              rows={rows.filter(({ name }) =>
                name.toLowerCase().includes(text.trim().toLowerCase()),
              )}
              filteredBy={text}
              empty={<Empty title="No accounts match" />}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Name',
                  cell: ({ id, name }) => (
                    <>
                      <span class="name">{name}</span>{' '}
                      {id === chosen?.id && <Badge tone="accent">Selected</Badge>}
                    </>
                  ),
                },
                { title: 'Created', cell: ({ created }) => <Day time={created} /> },
                {
                  title: 'Pins',
                  number: true,
                  cell: ({ name }) => formatNumber(stored.get(name)?.pins ?? 0),
                },
                {
                  title: 'Stored',
                  number: true,
                  unit: '',
                  cell: ({ name }) => formatBytes(stored.get(name)?.bytes ?? 0),
                },
                {
                  title: 'Billing card',
                  cell: ({ hasCard }) => (
                    <Badge tone={hasCard ? 'good' : 'plain'}>{hasCard ? 'On file' : 'None'}</Badge>
                  ),
                },
                {
                  title: 'Actions',
                  actions: true,
                  cell: (account) => (
                    <Menu
                      title={`Actions for ${account.name}`}
                      small
                      items={[
                        ...(account.id === chosen?.id
                          ? []
                          : [{ title: 'Switch to', onChoose: () => chooseAccount(account.id) }]),
                        { title: 'Name and limits…', onChoose: () => setChanging(account) },
                      ]}
                    />
                  ),
                },
              ]}
            />
          )}
        </Show>
      </Card>
      {creating && <CreateAccount onCreated={changed} onClose={() => setCreating(false)} />}
      {changing !== null && (
        <ChangeAccount account={changing} onChanged={changed} onClose={() => setChanging(null)} />
      )}
    </>
  )
}

function CreateAccount({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const sending = useSending()
  const [name, setName] = useState('')
  const [hasCard, setHasCard] = useState(false)
  return (
    <Dialog title="Create account" onClose={onClose}>
      <Form
        sending={sending}
        action="Create account"
        fields={['name']}
        onSend={async () => {
          await call('POST /accounts', { name: name.trim(), hasCard })
          onCreated()
          onClose()
        }}
        secondary={<Cancel onClose={onClose} />}
      >
        <NameField value={name} sending={sending} onValue={setName} />
        <CheckField
          title="Has a billing card"
          hint="Without one, the IPFS API refuses its keys."
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
  const limit = (member: Exclude<keyof Account['settings'], 'provide'>, title: string) => (
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
        secondary={<Cancel onClose={onClose} />}
      >
        <NameField value={name} sending={sending} onValue={setName} />
        <p class="hint">
          Limits of all keys of the account together. Empty: no limit. 0: nothing is allowed.
        </p>
        {limit('filesStoredBytes', 'Stored')}
        {limit('filesUploadBytesPerMonth', 'Uploaded per month')}
        {limit('filesDownloadBytesPerMonth', 'Downloaded per month')}
      </Form>
    </Dialog>
  )
}
