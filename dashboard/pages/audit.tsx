// Audit log in words, by day: changes to the account, and for operators to the whole server. Filters look in what is loaded.
// Tested by test/browser/audit.test.ts
import { useEffect, useState } from 'preact/hooks'
import { ApiError, call } from '../app/api.ts'
import { type AuditRecord, auditSentence } from '../app/audit-sentence.ts'
import { formatCount, formatDay, formatTime } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { Link } from '../app/router.tsx'
import { useAccount, useSession } from '../app/session.tsx'
import '../style/audit.css'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { useSending } from '../ui/form.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, Loading, Problem } from '../ui/note.tsx'
import { Pick, SearchBox, Segments } from '../ui/toolbar.tsx'

const pageSize = 50
/** Records held and shown; older ones are exported by the command line. */
const heldMax = 1_000

type Names = ReadonlyMap<string, string>
type Filter = { readonly text: string; readonly who: string }

export function AuditPage() {
  const { isOperator } = useSession()
  const { name } = useAccount()
  const [scope, setScope] = useState<'account' | 'server'>('account')
  const [filter, setFilter] = useState<Filter>({ text: '', who: '' })
  const names = useNames()
  const audit = useRecords(scope)
  const people = [...new Set(audit.records.map((one) => auditSentence(one, names).actor))]
  const shown = audit.records.filter((one) => isShown(one, names, filter))
  return (
    <>
      <PageHead
        title="Audit log"
        actions={
          <button
            class="button"
            type="button"
            disabled={shown.length === 0}
            onClick={() => saveCsv(shown, names)}
          >
            <Icon name="download" size={16} /> Export
          </button>
        }
      />
      <div class="toolbar">
        <SearchBox
          title="Person, key or setting"
          value={filter.text}
          onValue={(text) => setFilter({ ...filter, text })}
        />
        <Pick
          title="Who"
          value={filter.who}
          options={[
            { value: '', title: 'anyone' },
            ...people.map((one) => ({ value: one, title: one })),
          ]}
          onValue={(who) => setFilter({ ...filter, who })}
        />
        {isOperator && (
          <span class="end">
            <Segments
              title="Scope"
              value={scope}
              options={[
                { value: 'account', title: name },
                { value: 'server', title: 'Whole server' },
              ]}
              onValue={setScope}
            />
          </span>
        )}
      </div>
      {audit.error !== null && <Problem error={audit.error} again={audit.more} />}
      <Card flush>
        {audit.isFirst ? (
          audit.error === null && <Loading />
        ) : shown.length === 0 ? (
          <Nothing
            isFiltered={audit.records.length > 0}
            onClear={() => setFilter({ text: '', who: '' })}
          />
        ) : (
          <Days records={shown} names={names} />
        )}
        {audit.records.length > 0 && (
          <div class="card-foot">
            <span>{`${formatCount(shown.length, 'change')} · secrets are never recorded`}</span>
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

/** Names of keys and people by their IDs; a list that may not be read is left out. */
function useNames(): Names {
  const { id: account } = useAccount()
  const { isOperator } = useSession()
  const found = useLoaded(
    async (signal) => {
      const [{ keys }, { people }, { members }] = await Promise.all([
        call('GET /accounts/{account}/keys', { account }, signal),
        isOperator ? call('GET /people', {}, signal) : { people: [] },
        call('GET /accounts/{account}/members', { account }, signal),
      ])
      return new Map([
        ...keys.map((key) => [key.id, keyName(key)] as const),
        ...members.map(({ personId, name, email }) => [personId, name || email] as const),
        ...people.map(({ id, name, email }) => [id, name || email] as const),
      ])
    },
    [account, isOperator],
  )
  return found.value ?? new Map()
}

/** Pages of records, the newest first. */
function useRecords(scope: 'account' | 'server') {
  const { id: account } = useAccount()
  const [records, setRecords] = useState<readonly AuditRecord[] | null>(null)
  const [hasMore, setHasMore] = useState(false)
  const sending = useSending()
  const load = async (before: number | undefined): Promise<void> => {
    const page = { before, limit: pageSize }
    const { records: next } =
      scope === 'server'
        ? await call('GET /audit', page)
        : await call('GET /accounts/{account}/audit', { account, ...page })
    setRecords((were) => (before === undefined ? next : [...(were ?? []), ...next]))
    setHasMore(next.length === pageSize)
  }
  useEffect(() => {
    setRecords(null)
    void sending.run(() => load(undefined))
  }, [scope, account])
  const held = records ?? []
  return {
    records: held,
    isFirst: records === null,
    hasMore: hasMore && held.length < heldMax,
    busy: sending.busy,
    error: sending.error satisfies ApiError | null,
    more: () => void sending.run(() => load(held.at(-1)?.id)),
  }
}

function isShown(record: AuditRecord, names: Names, { text, who }: Filter): boolean {
  const { actor, words, target, details } = auditSentence(record, names)
  if (who !== '' && actor !== who) return false
  const all = [actor, words, target ?? '', ...details.flat()].join(' ').toLowerCase()
  return all.includes(text.trim().toLowerCase())
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

function Days({
  records,
  names,
}: {
  readonly records: readonly AuditRecord[]
  readonly names: Names
}) {
  const days = Map.groupBy(records, ({ time }) => formatDay(time))
  return (
    <div class="log">
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <h2>{dayTitle(day)}</h2>
          <ul class="plain">
            {ofDay.map((record) => (
              <Change key={record.id} record={record} names={names} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

const longDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

function dayTitle(day: string): string {
  const title = longDay.format(Date.parse(day))
  return day === formatDay(Date.now()) ? `Today, ${title}` : title
}

function Change({ record, names }: { readonly record: AuditRecord; readonly names: Names }) {
  const { actor, words, target, to, details } = auditSentence(record, names)
  return (
    <li>
      <time title={formatTime(record.time)}>
        {new Date(record.time).toISOString().slice(11, 16)}
      </time>
      <span class="avatar round" aria-hidden="true">
        {actor.charAt(0)}
      </span>
      <div>
        <b>{actor}</b> {words}{' '}
        {target !== null && (to === null ? target : <Link to={to}>{target}</Link>)}
        {details.length > 0 && (
          <p class="soft">
            {details.map(([name, value], at) => (
              <span key={name}>
                {at > 0 && ' · '}
                {name}: <b>{value}</b>
              </span>
            ))}
          </p>
        )}
      </div>
    </li>
  )
}

/** Saves the shown records as a CSV file (RFC 4180). */
function saveCsv(records: readonly AuditRecord[], names: Names): void {
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const lines = records.map((record) => {
    const { actor, words, target, details } = auditSentence(record, names)
    const values = details.map(([name, value]) => `${name}: ${value}`).join('; ')
    return [new Date(record.time).toISOString(), actor, words, target ?? '', values]
      .map(cell)
      .join()
  })
  const text = ['time,person,change,target,values', ...lines].join('\r\n')
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'audit.csv'
  link.click()
  URL.revokeObjectURL(url)
}
