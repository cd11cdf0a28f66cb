// Audit log: changes to the account, and for operators to the whole server.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatTime } from '../app/format.ts'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Tabs } from '../ui/tabs.tsx'

type AuditRecord = AdminReply<'GET /accounts/{account}/audit'>['records'][number]

const pageSize = 50

export function AuditPage() {
  const { isOperator } = useSession()
  const { name } = useAccount()
  const [scope, setScope] = useState<'account' | 'server'>('account')
  return (
    <>
      <PageHead title="Audit log" about="Every change with its person and time, without secrets." />
      {isOperator ? (
        <Tabs
          title="Scope"
          chosen={scope}
          onChoose={setScope}
          tabs={[
            { name: 'account', title: name },
            { name: 'server', title: 'Server' },
          ]}
        >
          <Records key={scope} scope={scope} />
        </Tabs>
      ) : (
        <Records scope="account" />
      )}
    </>
  )
}

function Records({ scope }: { readonly scope: 'account' | 'server' }) {
  const { id: account } = useAccount()
  const [ends, setEnds] = useState<readonly number[]>([])
  const before = ends.at(-1)
  const records = useLoaded(
    (signal) =>
      scope === 'server'
        ? call('GET /audit', { before, limit: pageSize }, signal)
        : call('GET /accounts/{account}/audit', { account, before, limit: pageSize }, signal),
    [scope, account, before],
  )
  return (
    <Card flush>
      <Show loaded={records}>
        {({ records: rows }) => (
          <>
            <Table
              caption="Changes"
              rows={rows}
              keyOf={({ id }) => String(id)}
              columns={columns}
              empty={
                <Empty title="No changes yet">
                  Changes to keys, people and settings show up here.
                </Empty>
              }
            />
            {(ends.length > 0 || rows.length === pageSize) && (
              <div class="pager">
                <button
                  class="button small"
                  type="button"
                  disabled={ends.length === 0}
                  onClick={() => setEnds(ends.slice(0, -1))}
                >
                  Newer
                </button>
                <button
                  class="button small"
                  type="button"
                  disabled={rows.length < pageSize}
                  onClick={() => setEnds([...ends, rows.at(-1)?.id ?? 0])}
                >
                  Older
                </button>
              </div>
            )}
          </>
        )}
      </Show>
    </Card>
  )
}

const columns: readonly Column<AuditRecord>[] = [
  { title: 'Action', cell: ({ action }) => actionTitle(action) },
  { title: 'Time', cell: ({ time }) => <span class="nowrap">{formatTime(time)}</span> },
  { title: 'Person', cell: ({ actor, actorName }) => (actorName === '' ? actor : actorName) },
  {
    title: 'Target',
    cell: ({ target }) => (target === null ? '–' : <span class="mono">{target.slice(0, 36)}</span>),
  },
  {
    title: 'Changes',
    cell: ({ changes }) => {
      const rows = Object.entries(changes)
      if (rows.length === 0) return '–'
      return (
        <span class="mono changes">
          {rows.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n')}
        </span>
      )
    },
  },
]

/** `createKey` as `Create key`. */
function actionTitle(action: string): string {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
