// The API keys of the account: permissions, usage and state; dialogs to create, rotate and revoke.
// Tested by test/browser/keys.test.ts
import { useMemo, useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import {
  callWord,
  formatAgo,
  formatCount,
  formatNumber,
  formatShort,
  formatTime,
} from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useMay } from '../app/use-may.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { Sparkline, Used } from '../ui/share.tsx'
import { type Column, pageRows, Table } from '../ui/table.tsx'
import { Pick, SearchBox } from '../ui/toolbar.tsx'
import { percent } from '../usage/outcome-series.ts'
import { CreateKey } from './keys/create-key.tsx'
import { type KeyAction, KeyDialog, type UsedKey } from './keys/key-actions.tsx'
import { accessOf, isInactive, KeyState } from './keys/key-state.tsx'

type ApiKey = AdminReply<'GET /accounts/{account}/keys'>['keys'][number]
type Row = { readonly key: ApiKey; readonly used: UsedKey | undefined }
type Opened = { readonly action: KeyAction; readonly row: Row }

const refreshMs = 15_000
const dayMs = 86_400_000

const states = [
  { value: 'use', title: 'in use' },
  { value: 'all', title: 'any' },
  { value: 'over', title: 'expired or revoked' },
] as const

type Filter = {
  readonly text: string
  readonly network: string
  readonly state: (typeof states)[number]['value']
}
const noFilter: Filter = { text: '', network: '', state: 'use' }

export function KeysPage() {
  const { id } = useAccount()
  const { query, go } = usePlace()
  const mayChange = useMay('owner')
  const [creating, setCreating] = useState(query.get('create') !== null && mayChange)
  const [filter, setFilter] = useState(noFilter)
  const [opened, setOpened] = useState<Opened | null>(null)
  const keys = useLoaded(
    (signal) => call('GET /accounts/{account}/keys', { account: id }, signal),
    [id],
  )
  const used = useLoaded(
    (signal) => call('GET /accounts/{account}/key-usage', { account: id }, signal),
    [id],
    { everyMs: refreshMs },
  )
  const rows = useMemo(
    () => keys.value && used.value && rowsOf(keys.value.keys, used.value.keys),
    [keys.value, used.value],
  )
  // Usage follows by itself. Keys change rarely, and thousands of them are megabytes.
  const loaded = {
    value: rows,
    error: keys.error ?? used.error,
    busy: keys.busy || used.busy,
    again() {
      keys.again()
      used.again()
    },
  }
  const create = mayChange && (
    <button class="button primary" type="button" onClick={() => setCreating(true)}>
      <Icon name="plus" size={16} /> Create key
    </button>
  )
  return (
    <>
      <PageHead title="API keys" actions={create} />
      <Show loaded={loaded}>
        {(rows) => (
          <>
            {rows.length > 0 && <Filters rows={rows} filter={filter} onFilter={setFilter} />}
            <Card flush>
              <Keys
                rows={rows}
                filter={filter}
                create={create}
                onFilter={setFilter}
                columns={columnsOf(mayChange, go, (action, row) => setOpened({ action, row }))}
              />
            </Card>
          </>
        )}
      </Show>
      {creating && <CreateKey onCreated={loaded.again} onClose={() => setCreating(false)} />}
      {opened !== null && (
        <KeyDialog
          action={opened.action}
          apiKey={opened.row.key}
          used={opened.row.used}
          onChanged={loaded.again}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

/** The newest first. */
function rowsOf(keys: readonly ApiKey[], used: readonly UsedKey[]): readonly Row[] {
  const byId = new Map(used.map((one) => [one.id, one]))
  return keys.toReversed().map((key) => ({ key, used: byId.get(key.id) }))
}

function Filters({
  rows,
  filter,
  onFilter,
}: {
  readonly rows: readonly Row[]
  readonly filter: Filter
  onFilter(filter: Filter): void
}) {
  const names = [...new Set(rows.flatMap(({ key }) => key.settings.networks ?? []))].toSorted()
  return (
    <div class="toolbar">
      <SearchBox
        title="Find a key by name or prefix"
        value={filter.text}
        onValue={(text) => onFilter({ ...filter, text })}
      />
      {names.length > 0 && (
        <Pick
          title="Network"
          value={filter.network}
          options={[
            { value: '', title: 'any' },
            ...names.map((name) => ({ value: name, title: name })),
          ]}
          onValue={(network) => onFilter({ ...filter, network })}
        />
      )}
      <Pick
        title="State"
        value={filter.state}
        options={states}
        onValue={(state) => onFilter({ ...filter, state })}
      />
    </div>
  )
}

function Keys({
  rows,
  filter,
  create,
  columns,
  onFilter,
}: {
  readonly rows: readonly Row[]
  readonly filter: Filter
  readonly create: preact.ComponentChildren
  readonly columns: readonly Column<Row>[]
  onFilter(filter: Filter): void
}) {
  const shown = rows.filter((row) => isShown(row, filter))
  const over = rows.filter(({ key }) => isInactive(key)).length
  const isHiding = over > 0 && filter.state === 'use'
  return (
    <Table
      caption="API keys"
      order={{ by: 'Calls, 24 h', down: true }}
      columns={columns}
      keyOf={({ key }) => key.id}
      rows={shown}
      filteredBy={Object.values(filter).join(' ')}
      empty={
        rows.length === 0 ? (
          <Empty icon="keys" title="No keys yet" action={create}>
            Create a key to get a URL you can call.
          </Empty>
        ) : (
          <Empty
            title="No keys match"
            action={
              <button
                class="button"
                type="button"
                onClick={() => onFilter({ ...noFilter, state: 'all' })}
              >
                Clear filters
              </button>
            }
          />
        )
      }
      foot={
        <>
          <span>
            {[
              // The pager of the table already shows the count.
              ...(shown.length > pageRows ? [] : [formatCount(shown.length, 'key')]),
              ...(isHiding ? [`${formatNumber(over)} expired or revoked hidden`] : []),
            ].join(' · ')}
          </span>
          {isHiding && (
            <button
              class="link"
              type="button"
              onClick={() => onFilter({ ...filter, state: 'all' })}
            >
              Show
            </button>
          )}
        </>
      }
    />
  )
}

function isShown({ key }: Row, { text, network, state }: Filter): boolean {
  if (state !== 'all' && isInactive(key) !== (state === 'over')) return false
  const { networks } = key.settings
  if (network !== '' && networks !== null && !networks.includes(network)) return false
  const wanted = text.trim().toLowerCase()
  return key.name.toLowerCase().includes(wanted) || key.prefix.toLowerCase().startsWith(wanted)
}

function columnsOf(
  mayChange: boolean,
  go: (to: string) => void,
  open: (action: KeyAction, row: Row) => void,
): readonly Column<Row>[] {
  return [
    {
      title: 'Name',
      sort: ({ key }) => keyName(key).toLowerCase(),
      cell: ({ key }) => (
        <span class="two">
          <Link to={`/keys/${key.id}`} class="name">
            {keyName(key)}
          </Link>
          <small>{accessOf(key.settings)}</small>
        </span>
      ),
    },
    {
      title: 'Starts with',
      hides: 'extra',
      cell: ({ key }) => <span class="mono soft">{key.prefix}…</span>,
    },
    {
      title: 'By hour',
      hides: 'extra',
      cell: ({ used }) => used?.hours != null && <Sparkline values={used.hours.slice(0, -1)} />,
    },
    {
      title: 'Calls, 24 h',
      number: true,
      unit: ({ used }) => callWord(used?.requests ?? 0),
      sort: ({ used }) => used?.requests ?? 0,
      cell: ({ used }) => formatNumber(used?.requests ?? 0),
    },
    {
      title: 'Errors',
      number: true,
      sort: ({ used }) => share(used),
      cell: ({ used }) => (
        <span class={share(used) >= 0.02 ? 'warn' : ''}>
          {percent(used?.failed ?? 0, used?.requests ?? 0)}
        </span>
      ),
    },
    {
      title: 'Limit used',
      hides: 'wide',
      sort: (row) => partOf(row) ?? -1,
      cell: (row) => <LimitUsed row={row} />,
    },
    {
      title: 'Last used',
      hides: 'extra',
      sort: ({ key, used }) => used?.lastUsed ?? Date.parse(key.lastUsedDay ?? '1970-01-01'),
      cell: (row) => <LastUsed row={row} />,
    },
    { title: 'State', keep: true, cell: ({ key }) => <KeyState apiKey={key} /> },
    {
      title: 'Actions',
      actions: true,
      cell: (row) => (
        <Menu
          title={`Actions for ${keyName(row.key)}`}
          small
          items={[
            { title: 'Open', icon: 'keys', onChoose: () => go(`/keys/${row.key.id}`) },
            {
              title: 'Requests',
              icon: 'inspector',
              onChoose: () => go(`/requests?key=${row.key.id}`),
            },
            { title: 'Usage', icon: 'usage', onChoose: () => go(`/usage?key=${row.key.id}`) },
            ...(mayChange && !isInactive(row.key)
              ? ([
                  { title: 'Rotate key…', onChoose: () => open('key', row) },
                  { title: 'Rotate secret…', onChoose: () => open('secret', row) },
                  {
                    title: 'Revoke…',
                    icon: 'trash',
                    danger: true,
                    onChoose: () => open('revoke', row),
                  },
                ] as const)
              : []),
          ]}
        />
      ),
    },
  ]
}

function share(used: UsedKey | undefined): number {
  return used === undefined || used.requests === 0 ? 0 : used.failed / used.requests
}

/** Null: no limit. */
function partOf({ key, used }: Row): number | null {
  const limit = key.settings.unitsPerDay
  if (limit === null) return null
  return limit === 0 ? 1 : (used?.unitsToday ?? 0) / limit
}

function LimitUsed({ row }: { readonly row: Row }) {
  const part = partOf(row)
  if (part === null) return <small class="soft">No limit</small>
  const { key, used } = row
  return (
    <Used part={part}>
      {`${formatShort(used?.unitsToday ?? 0)} of ${formatShort(key.settings.unitsPerDay ?? 0)}`}
    </Used>
  )
}

function LastUsed({ row: { key, used } }: { readonly row: Row }) {
  const time = used?.lastUsed ?? (key.lastUsedDay === null ? null : Date.parse(key.lastUsedDay))
  if (time === null) return <span class="soft">Never</span>
  const now = Date.now()
  const isToday = now - time < dayMs
  return (
    <span class="soft" title={isToday ? formatTime(time) : (key.lastUsedDay ?? '')}>
      {formatAgo(time, now)}
    </span>
  )
}
