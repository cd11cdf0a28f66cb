// The API keys of the account, and a dialog to create one.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatDay } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { Link } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useMay } from '../app/use-may.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { CreateKey } from './keys/create-key.tsx'
import { isInactive, KeyState } from './keys/key-state.tsx'

type ApiKey = AdminReply<'GET /accounts/{account}/keys'>['keys'][number]

export function KeysPage() {
  const { id, name } = useAccount()
  const mayChange = useMay('owner')
  const [creating, setCreating] = useState(false)
  const [withInactive, setWithInactive] = useState(false)
  const keys = useLoaded(
    (signal) => call('GET /accounts/{account}/keys', { account: id }, signal),
    [id],
  )
  const create = mayChange && (
    <button class="button primary" type="button" onClick={() => setCreating(true)}>
      <Icon name="plus" /> Create key
    </button>
  )
  return (
    <>
      <PageHead
        title="API keys"
        about={`API keys of ${name}, with their access and limits.`}
        actions={create}
      />
      <Card flush>
        <Show loaded={keys}>
          {({ keys: all }) => {
            const inactive = all.filter(isInactive)
            const shown = withInactive ? all : all.filter((key) => !isInactive(key))
            return (
              <>
                <Table
                  caption="API keys"
                  columns={columns}
                  keyOf={(key) => key.id}
                  rows={shown.toReversed()}
                  empty={
                    <Empty title="No keys yet" action={create}>
                      Create a key to get a URL you can call.
                    </Empty>
                  }
                />
                {inactive.length > 0 && (
                  <button
                    class="button quiet table-foot"
                    type="button"
                    onClick={() => setWithInactive(!withInactive)}
                  >
                    {withInactive ? 'Hide' : 'Show'} {inactive.length} expired or revoked
                  </button>
                )}
              </>
            )
          }}
        </Show>
      </Card>
      {creating && <CreateKey onCreated={keys.again} onClose={() => setCreating(false)} />}
    </>
  )
}

const columns: readonly Column<ApiKey>[] = [
  {
    title: 'Name',
    cell: (key) => <Link to={`/keys/${key.id}`}>{keyName(key)}</Link>,
  },
  { title: 'Starts with', cell: ({ prefix }) => <span class="mono">{prefix}…</span> },
  { title: 'Created', cell: ({ created }) => formatDay(created) },
  { title: 'Last used', cell: ({ lastUsedDay }) => lastUsedDay ?? 'never' },
  {
    title: 'Expires',
    cell: ({ expires }) => (expires === null ? 'never' : formatDay(expires)),
  },
  { title: 'State', cell: (key) => <KeyState apiKey={key} /> },
]
