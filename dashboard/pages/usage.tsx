// Usage: one toolbar, figures, calls by outcome, the largest rows by method, error, key and network, and latency.
// Tested by test/browser/usage.test.ts
import { useMemo } from 'preact/hooks'
import { linkOf } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatBytes, formatMs, formatNumber, formatShort } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, Figures, PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { OutcomeChart } from '../ui/outcome-chart.tsx'
import { Pick, Segments } from '../ui/toolbar.tsx'
import { Breakdowns, type Report } from '../usage/breakdowns.tsx'
import { LatencyChart } from '../usage/latency-chart.tsx'
import { Live } from '../usage/live.tsx'
import { countsOf, percent, seriesOf } from '../usage/outcome-series.ts'

const windows = [
  { value: '15m', title: '15 min' },
  { value: '1h', title: '1 h' },
  { value: '24h', title: '24 h' },
  { value: '7d', title: '7 d' },
  { value: '30d', title: '30 d' },
] as const

type Window = (typeof windows)[number]['value']

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
  const { query, go } = usePlace()
  const keyId = query.get('key') ?? ''
  const window = windows.find(({ value }) => value === query.get('window'))?.value ?? '24h'
  const show = (key: string, shown: Window): void =>
    go(`/usage?${new URLSearchParams({ window: shown, ...(key === '' ? {} : { key }) })}`, {
      replace: true,
    })
  const keys = useLoaded(
    (signal) => call('GET /accounts/{account}/keys', { account: account.id }, signal),
    [account.id],
  )
  const usage = useLoaded(
    (signal) => load(account.id, keyId, window, signal),
    [account.id, keyId, window],
    { everyMs: refreshMs },
  )
  const names = useMemo(
    () => new Map(keys.value?.keys.map((key) => [key.id, keyName(key)])),
    [keys.value],
  )
  const sent = {
    account: account.id,
    ...(keyId === '' ? {} : { key: keyId }),
    span: spans[window],
    since: usage.value?.from ?? 0,
  }
  return (
    <>
      <PageHead
        title="Usage"
        actions={
          <Menu
            title="Export"
            items={[
              {
                title: 'CSV',
                icon: 'download',
                href: linkOf('GET /accounts/{account}/usage/export', sent),
                download: 'usage.csv',
              },
              {
                title: 'JSON',
                icon: 'download',
                href: linkOf('GET /accounts/{account}/usage/lines', sent),
                download: 'usage.json',
              },
            ]}
          >
            <Icon name="download" size={16} /> Export
          </Menu>
        }
      />
      <div class="toolbar">
        <Segments
          title="Period"
          value={window}
          options={windows}
          onValue={(shown) => show(keyId, shown)}
        />
        <Pick
          title="Key"
          value={keyId}
          options={[
            { value: '', title: 'all' },
            ...[...names].map(([value, title]) => ({ value, title })),
          ]}
          onValue={(key) => show(key, window)}
        />
        <Live account={account.id} keyId={keyId === '' ? null : keyId} />
      </div>
      <Show loaded={usage}>
        {(report) => <UsageReport report={report} names={names} keyId={keyId} />}
      </Show>
    </>
  )
}

async function load(
  account: string,
  keyId: string,
  window: Window,
  signal: AbortSignal,
): Promise<Report> {
  const query = { account, window, by: 'outcome' } as const
  const { report } =
    keyId === ''
      ? await call('GET /accounts/{account}/usage', query, signal)
      : await call('GET /accounts/{account}/keys/{key}/usage', { ...query, key: keyId }, signal)
  return report
}

function UsageReport({
  report: counted,
  names,
  keyId,
}: {
  readonly report: Report
  /** Names of keys, by their IDs. */
  readonly names: ReadonlyMap<string, string>
  readonly keyId: string
}) {
  const report = useMemo(() => withNames(counted, names), [counted, names])
  if (report.totals.requests === 0) {
    return (
      <Card>
        <Empty
          icon="usage"
          title="No calls in this period"
          action={
            <Link to="/keys" class="button">
              See API keys
            </Link>
          }
        >
          Try a longer one, or send a test call.
        </Empty>
      </Card>
    )
  }
  return (
    <>
      <UsageFigures report={report} />
      <Card title="Calls by outcome">
        <OutcomeChart series={seriesOf(report)} />
      </Card>
      <Breakdowns report={report} keyId={keyId} />
      {report.totals.latency !== null && (
        <Card title="Latency" actions={<small class="soft">milliseconds, all methods</small>}>
          <LatencyChart series={report.series} />
        </Card>
      )}
    </>
  )
}

function UsageFigures({ report: { totals, table } }: { readonly report: Report }) {
  const counts = countsOf(table)
  const { requests, failed, units, bytesIn, bytesOut, latency } = totals
  return (
    <Figures
      rows={[
        {
          title: 'Calls',
          value: formatShort(requests),
          about: `${formatNumber(requests - failed)} answered`,
        },
        {
          title: 'Errors',
          value: percent(failed, requests),
          about: `${percent(counts.failed, requests)} failed on our side`,
        },
        {
          title: 'Units',
          value: formatShort(units),
          about: `${formatNumber(Math.round(units / Math.max(1, requests)))} per call`,
        },
        {
          title: 'Transfer',
          value: formatBytes(bytesIn + bytesOut),
          about: `${formatBytes(bytesOut)} out · ${formatBytes(bytesIn)} in`,
        },
        {
          title: 'Latency, p95',
          value: latency === null ? '–' : formatMs(latency.p95Ms),
          about:
            latency === null
              ? 'no calls ran'
              : `p50 ${formatMs(latency.p50Ms)} · p99 ${formatMs(latency.p99Ms)}`,
        },
      ]}
    />
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
