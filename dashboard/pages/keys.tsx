// The API keys of the account: which there are, and a new one.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
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
import { isOver, KeyState } from './keys/key-state.tsx'

type ApiKey = AdminReply<'GET /accounts/{account}/keys'>['keys'][number]

export function KeysPage() {
  const { id, name } = useAccount()
  const mayChange = useMay('owner')
  const [making, setMaking] = useState(false)
  const [withOver, setWithOver] = useState(false)
  const keys = useLoaded(
    (signal) => call('GET /accounts/{account}/keys', { account: id }, signal),
    [id],
  )
  const make = mayChange && (
    <button class="button primary" type="button" onClick={() => setMaking(true)}>
      <Icon name="plus" /> New key
    </button>
  )
  return (
    <>
      <PageHead title="Keys" about={`API keys of ${name}, and what each may do.`} actions={make} />
      <Card flush>
        <Show loaded={keys}>
          {({ keys: all }) => {
            const over = all.filter(isOver)
            const shown = withOver ? all : all.filter((key) => !isOver(key))
            return (
              <>
                <Table
                  caption="API keys"
                  columns={columns}
                  keyOf={(key) => key.id}
                  rows={shown.toReversed()}
                  empty={
                    <Empty title="No key yet" action={make}>
                      A key opens the JSON-RPC face and, with its secret, the file face.
                    </Empty>
                  }
                />
                {over.length > 0 && (
                  <button
                    class="button quiet table-foot"
                    type="button"
                    onClick={() => setWithOver(!withOver)}
                  >
                    {withOver ? 'Hide' : 'Show'} {over.length} that{' '}
                    {over.length === 1 ? 'is' : 'are'} over
                  </button>
                )}
              </>
            )
          }}
        </Show>
      </Card>
      {making && <CreateKey onMade={keys.again} onClose={() => setMaking(false)} />}
    </>
  )
}

const columns: readonly Column<ApiKey>[] = [
  {
    title: 'Name',
    cell: (key) => <Link to={`/keys/${key.id}`}>{keyName(key)}</Link>,
  },
  { title: 'Begins with', cell: ({ prefix }) => <span class="mono">{prefix}…</span> },
  { title: 'Created', cell: ({ created }) => formatDay(created) },
  { title: 'Last used', cell: ({ lastUsedDay }) => lastUsedDay ?? 'never' },
  {
    title: 'Ends',
    cell: ({ expires }) => (expires === null ? 'never' : formatDay(expires)),
  },
  { title: 'State', cell: (key) => <KeyState apiKey={key} /> },
]
