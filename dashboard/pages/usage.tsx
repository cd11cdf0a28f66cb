// Usage: five windows, by key, network, method, status and reason, with live figures and export.
// Tested by test/browser/usage.test.ts
import { useMemo, useState } from 'preact/hooks'
import { type AdminReply, linkOf } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatBytes, formatCount, formatMs, formatShort, formatTime } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import '../style/usage.css'
import { Badge } from '../ui/badge.tsx'
import { Card, Figures, PageHead } from '../ui/card.tsx'
import { SelectField } from '../ui/field.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AlertsCard } from '../usage/alerts-card.tsx'
import { Breakdowns, type Report, sums } from '../usage/breakdowns.tsx'
import { Chart } from '../usage/chart.tsx'
import { Live } from '../usage/live.tsx'

type Storage = AdminReply<'GET /accounts/{account}/usage'>['storage']
type Window = Report['window']
type By = NonNullable<Report['split']>['by'] | 'total'

const windows: readonly { readonly name: Window; readonly title: string }[] = [
  { name: '15m', title: '15 min' },
  { name: '1h', title: '1 hour' },
  { name: '24h', title: '24 hours' },
  { name: '7d', title: '7 days' },
  { name: '30d', title: '30 days' },
]
const splits: readonly { readonly value: By; readonly title: string }[] = [
  { value: 'total', title: 'Total' },
  { value: 'holder', title: 'By key' },
  { value: 'network', title: 'By network' },
  { value: 'method', title: 'By method' },
  { value: 'status', title: 'By status' },
  { value: 'reason', title: 'By reason' },
]
const refreshMs = 10_000
/** Interval of one export row, by window. */
const spans = {
  '15m': 'minute',
  '1h': 'minute',
  '24h': 'hour',
  '7d': 'hour',
  '30d': 'day',
} as const

export function UsagePage() {
  const account = useAccount()
  const [window, setWindow] = useState<Window>('24h')
  const [by, setBy] = useState<By>('total')
  const [keyId, setKeyId] = useState('')
  const keys = useLoaded(
    (signal) => call('GET /accounts/{account}/keys', { account: account.id }, signal),
    [account.id],
  )
  const usage = useLoaded(
    (signal) => load(account.id, keyId, window, by, signal),
    [account.id, keyId, window, by],
    { everyMs: refreshMs },
  )
  const names = useMemo(
    () => new Map(keys.value?.keys.map((key) => [key.id, keyName(key)])),
    [keys.value],
  )
  const chosen = keyId === '' ? {} : { key: keyId }
  const span = spans[window]
  const sent = { account: account.id, ...chosen, span, since: usage.value?.report.from ?? 0 }
  return (
    <>
      <PageHead
        title="Usage"
        about={
          <>
            Times are UTC. <code>cairn usage</code> and the API report the same figures.
          </>
        }
        actions={
          <>
            <a class="button" href={linkOf('GET /accounts/{account}/usage/export', sent)} download>
              CSV
            </a>
            <a
              class="button"
              href={linkOf('GET /accounts/{account}/usage/lines', sent)}
              download="usage.json"
            >
              JSON
            </a>
          </>
        }
      />
      <div class="stack">
        <Live account={account.id} keyId={keyId === '' ? null : keyId} />
        <Card>
          <div class="grid">
            <SelectField
              title="Key"
              value={keyId}
              options={[
                { value: '', title: 'All keys' },
                ...[...names].map(([value, title]) => ({ value, title })),
              ]}
              onValue={setKeyId}
            />
            <SelectField title="Split" value={by} options={splits} onValue={setBy} />
          </div>
        </Card>
        <Tabs title="Window" tabs={windows} chosen={window} onChoose={(name) => setWindow(name)}>
          <Show loaded={usage}>
            {({ report, storage }) => (
              <UsageReport report={report} storage={storage} names={names} />
            )}
          </Show>
        </Tabs>
        {account.role !== 'member' && <AlertsCard account={account.id} />}
      </div>
    </>
  )
}

async function load(
  account: string,
  keyId: string,
  window: Window,
  by: By,
  signal: AbortSignal,
): Promise<{ readonly report: Report; readonly storage: Storage | null }> {
  const query = { account, window, ...(by === 'total' ? {} : { by }) }
  if (keyId === '') return await call('GET /accounts/{account}/usage', query, signal)
  const { report } = await call(
    'GET /accounts/{account}/keys/{key}/usage',
    { ...query, key: keyId },
    signal,
  )
  return { report, storage: null }
}

type UsageReportProps = {
  readonly report: Report
  readonly storage: Storage | null
  /** Names of keys, by their IDs. */
  readonly names: ReadonlyMap<string, string>
}

function UsageReport({ report: counted, storage, names }: UsageReportProps) {
  const report = useMemo(() => withNames(counted, names), [counted, names])
  const { totals } = report
  return (
    <div class="stack">
      <Figures
        rows={[
          {
            title: 'Calls',
            value: formatShort(totals.requests),
            about: `${formatShort(totals.failed)} failed or refused`,
          },
          { title: 'Units', value: formatShort(totals.units) },
          { title: 'Received', value: formatBytes(totals.bytesIn) },
          { title: 'Sent', value: formatBytes(totals.bytesOut) },
          ...(totals.latency === null
            ? []
            : [
                {
                  title: 'Latency (p50)',
                  value: formatMs(totals.latency.p50Ms),
                  about: `p95 ${formatMs(totals.latency.p95Ms)}, p99 ${formatMs(totals.latency.p99Ms)}`,
                },
              ]),
          ...(storage === null
            ? []
            : [
                {
                  title: 'Stored',
                  value: formatBytes(storage.physicalBytes),
                  about: `${formatBytes(storage.logicalBytes)} in ${formatCount(storage.pins, 'pin')} before deduplication`,
                },
              ]),
        ]}
      />
      <CallsOverTime report={report} />
      {totals.requests === 0 ? (
        <Card>
          <Empty title="No calls in this period">Try a longer one, or send a test call.</Empty>
        </Card>
      ) : (
        <Breakdowns report={report} />
      )}
    </div>
  )
}

function CallsOverTime({ report }: { readonly report: Report }) {
  const { series, split } = report
  const starts = useMemo(() => series.map(({ start }) => start), [report])
  const lines = useMemo(
    () =>
      split === null
        ? [{ name: 'Calls', values: series.map(({ requests }) => requests) }]
        : split.parts.map(({ name, requests }) => ({
            name: nameOf(report, name),
            values: requests,
          })),
    [report],
  )
  const isRunning = series.at(-1)?.complete === false
  return (
    <Card title="Calls over time">
      {lines.length === 0 ? (
        <Empty title="No calls in this period" />
      ) : (
        <Chart
          starts={starts}
          lines={lines}
          isRunning={isRunning}
          title="Calls over time; the table below has the same numbers"
        />
      )}
      <details>
        <summary>Show as table</summary>
        <Table
          caption="Calls by interval"
          rows={series.toReversed()}
          keyOf={({ start }) => String(start)}
          columns={[
            {
              title: 'Start',
              cell: ({ start, complete }) => (
                <span class="row">
                  {formatTime(start)}
                  {!complete && <Badge>incomplete</Badge>}
                </span>
              ),
            },
            ...sums<Report['series'][number]>(),
          ]}
        />
      </details>
    </Card>
  )
}

/** Names keys without a name by their prefix. */
function withNames(report: Report, names: ReadonlyMap<string, string>): Report {
  const holders = report.holders.map((holder) => ({
    ...holder,
    name: holder.name === '' ? (names.get(holder.id) ?? holder.id.slice(0, 8)) : holder.name,
  }))
  return { ...report, holders }
}

/** Name of a part; a split by key has IDs. */
function nameOf({ split, holders }: Report, name: string): string {
  if (split?.by !== 'holder') return name === '' ? 'none' : name
  const holder = holders.find(({ id }) => id === name)
  return holder?.name ?? name.slice(0, 8)
}
