// Audit log in words, by day: changes to the account, and for operators to the whole server. The server filters by person,
// operation, account, time and text.
// Tested by test/browser/audit.test.ts
import { useMemo } from 'preact/hooks'
import { linkOf } from '../../src/admin/client.ts'
import { type AuditRecord, auditGroups, auditSearch, auditSentence } from '../app/audit-sentence.ts'
import { formatCount } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { loadKeyNames } from '../app/key-options.ts'
import { call } from '../app/api.ts'
import { usePlace } from '../app/router.tsx'
import { useAccount, useSession } from '../app/session.tsx'
import '../style/audit.css'
import { useLoaded } from '../app/use-loaded.ts'
import { useTyped } from '../app/use-typed.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { Empty, Loading, Problem } from '../ui/note.tsx'
import { Pick, SearchBox, Segments } from '../ui/toolbar.tsx'
import { AuditDays } from './audit/audit-days.tsx'
import { type AuditScope, type AuditQuery, useAuditRecords } from './audit/use-audit-records.ts'

type Names = ReadonlyMap<string, string>

/** Filters in the URL. Empty: all. `q`: a text; `of`: an account ID, for the log of the server. */
const filterNames = ['scope', 'q', 'who', 'what', 'when', 'of'] as const
type Filter = Readonly<Record<(typeof filterNames)[number], string>>
const noFilter: Filter = { scope: '', q: '', who: '', what: '', when: '', of: '' }

const periods = [
  { value: '', title: 'any time' },
  { value: '1', title: 'last 24 hours' },
  { value: '7', title: 'last 7 days' },
  { value: '30', title: 'last 30 days' },
  { value: '90', title: 'last 90 days' },
]
const dayMs = 86_400_000

export function AuditPage() {
  const { isOperator, accounts } = useSession()
  const { id: account, name } = useAccount()
  const { query, go } = usePlace()
  const filter: Filter = Object.fromEntries(
    filterNames.map((one) => [one, query.get(one) ?? '']),
  ) as Filter
  const scope: AuditScope = isOperator && filter.scope === 'server' ? 'server' : 'account'
  const set = (changes: Partial<Filter>): void => {
    const next = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== '')
    go(`/audit${next.length === 0 ? '' : `?${new URLSearchParams(next).toString()}`}`, {
      replace: true,
    })
  }
  const directory = useNames()
  const foundNames = useFoundKeys(scope === 'account' ? account : null, filter.q)
  // Fixed when the filter is selected, so that later pages belong to the same list.
  const from = useMemo(
    () => (Number(filter.when) > 0 ? Date.now() - Number(filter.when) * dayMs : null),
    [filter.when],
  )
  const [text, setText] = useTyped(filter.q, (q) => set({ q }))
  const auditQuery = queryOf(filter, scope, {
    account,
    from,
    names: new Map([...directory.names, ...foundNames]),
  })
  const audit = useAuditRecords(scope, auditQuery)
  const keyNames = useKeyNames(scope === 'account' ? account : null, audit.records)
  const names = useMemo(
    () => new Map([...directory.names, ...foundNames, ...keyNames]),
    [directory.names, foundNames, keyNames],
  )
  const isFiltered = Object.entries(filter).some(([one, value]) => one !== 'scope' && value !== '')
  const clear = (): void => {
    setText('')
    set({ ...noFilter, scope: filter.scope })
  }
  return (
    <>
      <PageHead title="Audit log" actions={<Export scope={scope} auditQuery={auditQuery} />} />
      <div class="toolbar">
        <SearchBox title="Person, key or setting" value={text} onValue={setText} />
        <Pick
          title="Who"
          value={filter.who}
          options={[
            { value: '', title: 'anyone' },
            ...actorsOf(audit.records, { ...directory, names }, filter.who),
          ]}
          onValue={(who) => set({ who })}
        />
        <Pick
          title="What"
          value={filter.what}
          options={[
            { value: '', title: 'any change' },
            ...auditGroups.map((group) => ({ value: group.name, title: group.title })),
          ]}
          onValue={(what) => set({ what })}
        />
        <Pick
          title="When"
          value={filter.when}
          options={periods}
          onValue={(when) => set({ when })}
        />
        {scope === 'server' && (
          <Pick
            title="Account"
            value={filter.of}
            options={[
              { value: '', title: 'all' },
              ...accounts.map((one) => ({ value: one.id, title: one.name })),
            ]}
            onValue={(of) => set({ of })}
          />
        )}
        {isOperator && (
          <span class="end">
            <Segments
              title="Scope"
              value={scope}
              options={[
                { value: 'account', title: name },
                { value: 'server', title: 'Whole server' },
              ]}
              onValue={(next) => set({ scope: next === 'server' ? next : '', of: '' })}
            />
          </span>
        )}
      </div>
      {audit.error !== null && <Problem error={audit.error} again={audit.again} />}
      <Card flush>
        {audit.isFirst ? (
          audit.error === null && <Loading />
        ) : audit.records.length === 0 ? (
          <Nothing isFiltered={isFiltered} onClear={clear} />
        ) : (
          <AuditDays
            records={audit.records}
            names={names}
            accountName={
              scope === 'server'
                ? (id) => accounts.find((one) => one.id === id)?.name ?? null
                : () => null
            }
          />
        )}
        {audit.records.length > 0 && (
          <div class="card-foot">
            <span role="status">
              {formatCount(audit.records.length, 'change')}
              {' · secrets are never recorded'}
              {audit.isFull && ' · export the log for older changes'}
            </span>
            {audit.hasMore && (
              <button
                class="button small"
                type="button"
                disabled={audit.busy}
                onClick={() => audit.more()}
              >
                Load older
              </button>
            )}
          </div>
        )}
      </Card>
    </>
  )
}

/** The filter in the form of the API. `from`: milliseconds since 1970 UTC. */
function queryOf(
  { q, who, what, of }: Filter,
  scope: AuditScope,
  {
    account,
    from,
    names,
  }: { readonly account: string; readonly from: number | null; readonly names: Names },
): AuditQuery {
  const actions = auditGroups.find(({ name }) => name === what)?.actions
  return {
    ...(scope === 'account' ? { account } : of === '' ? {} : { account: of }),
    ...(who === '' ? {} : { actor: who }),
    ...(actions === undefined ? {} : { actions }),
    ...(from === null ? {} : { from }),
    ...(q === '' ? {} : { text: auditSearch(q, names) }),
  }
}

function Export({
  scope,
  auditQuery,
}: {
  readonly scope: AuditScope
  readonly auditQuery: AuditQuery
}) {
  const href = (form: 'csv' | 'json'): string => {
    const sent = { ...auditQuery, form }
    return scope === 'server'
      ? linkOf('GET /audit/export', sent)
      : linkOf('GET /accounts/{account}/audit/export', {
          ...sent,
          account: auditQuery.account ?? '',
        })
  }
  return (
    <Menu
      title="Export"
      items={(['csv', 'json'] as const).map((form) => ({
        title: form.toUpperCase(),
        icon: 'download' as const,
        href: href(form),
        download: `audit.${form}`,
      }))}
    >
      <Icon name="download" size={16} /> Export
    </Menu>
  )
}

type Directory = {
  /** Names of people and accounts by ID. */
  readonly names: Names
  /** IDs of the people who may have made changes. */
  readonly people: readonly string[]
}

function useNames(): Directory {
  const { id: account } = useAccount()
  const { isOperator, accounts } = useSession()
  const found = useLoaded(
    async (signal): Promise<Directory> => {
      const [{ people }, { members }] = await Promise.all([
        isOperator ? call('GET /people', {}, signal) : { people: [] },
        call('GET /accounts/{account}/members', { account }, signal),
      ])
      const named = new Map([
        ...members.map(({ personId, name, email }) => [personId, name || email] as const),
        ...people.map(({ id, name, email }) => [id, name || email] as const),
      ])
      return {
        people: [...named.keys()],
        names: new Map([...accounts.map(({ id, name }) => [id, name] as const), ...named]),
      }
    },
    [account, isOperator],
  )
  return found.value ?? { names: noNames, people: [] }
}

const noNames: Names = new Map()
const foundKeysMax = 50

/** Names by ID of the account's keys whose name contains the text: older records contain only the ID. `account` null: none. */
function useFoundKeys(account: string | null, text: string): Names {
  const found = useLoaded(
    async (signal): Promise<Names> => {
      if (account === null || text === '') return noNames
      const query = { account, search: text, limit: foundKeysMax }
      const { keys } = await call('GET /accounts/{account}/keys', query, signal)
      return new Map(keys.map((key) => [key.id, keyName(key)]))
    },
    [account, text],
  )
  return found.value ?? noNames
}

/** Current names by ID of the keys in the newest records. `account` null: none. */
function useKeyNames(account: string | null, records: readonly AuditRecord[]): Names {
  const targets = records.flatMap(({ target }) => (target === null ? [] : [target]))
  const found = useLoaded(
    async (signal): Promise<Names> =>
      account === null ? noNames : await loadKeyNames(account, targets, signal),
    [account, targets.join(' ')],
  )
  return found.value ?? noNames
}

/** The people of the account or the server, and the authors of the loaded records. */
function actorsOf(
  records: readonly AuditRecord[],
  { names, people }: Directory,
  chosen: string,
): readonly { readonly value: string; readonly title: string }[] {
  const found = new Map(people.map((id) => [id, names.get(id) ?? id]))
  for (const one of records) found.set(one.actor, auditSentence(one, names).actor)
  found.set('local', 'Command line')
  if (chosen !== '' && !found.has(chosen)) found.set(chosen, chosen)
  return [...found].map(([value, title]) => ({ value, title }))
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <Empty icon="audit" title="No changes yet">
        Changes to keys, people and settings show up here.
      </Empty>
    )
  }
  return (
    <Empty
      title="No changes match"
      action={
        <button class="button" type="button" onClick={onClear}>
          Clear filters
        </button>
      }
    />
  )
}
