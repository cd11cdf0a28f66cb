// Usage: one toolbar, figures, calls by outcome, the largest rows by method, error, key and network, and latency.
// Tested by test/browser/usage.test.ts
import { useMemo } from 'preact/hooks'
import { linkOf } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { loadKeyOptions } from '../app/key-options.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { OutcomeChart } from '../ui/outcome-chart.tsx'
import { Breakdowns, type Report } from '../usage/breakdowns.tsx'
import { periodBefore } from '../usage/compare.ts'
import { LatencyChart } from '../usage/latency-chart.tsx'
import { Live } from '../usage/live.tsx'
import { seriesOf } from '../usage/outcome-series.ts'
import { UsageFigures } from '../usage/usage-figures.tsx'
import {
  filterOf,
  periodOf,
  readUsageQuery,
  usageAddress,
  type UsageQuery,
} from '../usage/usage-query.ts'
import { UsageToolbar } from '../usage/usage-toolbar.tsx'

const refreshMs = 10_000

export function UsagePage() {
  const account = useAccount()
  const { query, go } = usePlace()
  const text = query.toString()
  const shown = useMemo(() => readUsageQuery(new URLSearchParams(text)), [text])
  const show = (next: UsageQuery): void => go(usageAddress(next), { replace: true })
  const isFiltered = Object.keys(filterOf(shown)).length > 0
  const keys = useLoaded(
    (signal) => loadKeyOptions(account.id, { active: false, wanted: [shown.keyId] }, signal),
    [account.id],
  )
  const usage = useLoaded((signal) => loadCompared(account.id, shown, signal), [account.id, text], {
    everyMs: refreshMs,
  })
  // A filter offers the names in the report without this filter.
  const all = useLoaded(
    async (signal) =>
      isFiltered ? await load(account.id, { ...shown, ...noFilter }, {}, signal) : null,
    [account.id, isFiltered, shown.isOfAll, shown.keyId, JSON.stringify(shown.period)],
  )
  const report = usage.value?.report
  const unfiltered = isFiltered ? (all.value ?? report) : report
  return (
    <>
      <PageHead
        title="Usage"
        actions={
          <>
            <Live account={account.id} shown={shown} />
            <Menu title="Export" items={exportsOf(account.id, shown, report)}>
              <Icon name="download" size={16} /> Export
            </Menu>
          </>
        }
      />
      <div class="toolbar">
        <UsageToolbar
          shown={shown}
          onShow={show}
          choices={{
            keys: keys.value ?? null,
            networks: namesOf(unfiltered?.networks.map(({ network }) => network)),
            methods: namesOf(unfiltered?.methods.map(({ method }) => method)),
            hasIpfs: unfiltered?.networks.some(({ face }) => face === 'files') === true,
          }}
        />
      </div>
      <Show loaded={usage}>
        {(found) => (
          <UsageReport
            report={found.report}
            before={found.before}
            shown={shown}
            onZoom={(from, until) => go(usageAddress({ ...shown, period: { from, until } }))}
          />
        )}
      </Show>
    </>
  )
}

const noFilter = { network: '', method: '', isIpfs: false } as const

/** Removes the empty name, used for the IPFS API and for requests that were refused before parsing. */
function namesOf(names: readonly string[] = []): readonly string[] {
  return [...new Set(names)].filter((name) => name !== '')
}

type Compared = { readonly report: Report; readonly before: Report | null }

async function loadCompared(
  account: string,
  shown: UsageQuery,
  signal: AbortSignal,
): Promise<Compared> {
  const report = await load(account, shown, {}, signal)
  const period = shown.isCompared ? periodBefore(report) : null
  if (period === null) return { report, before: null }
  return { report, before: await load(account, shown, period, signal) }
}

/** `period`: overrides the shown one. */
async function load(
  account: string,
  shown: UsageQuery,
  period: ReturnType<typeof periodOf>,
  signal: AbortSignal,
): Promise<Report> {
  const query = { ...periodOf(shown), ...period, ...filterOf(shown), by: 'outcome' } as const
  if (shown.isOfAll) return (await call('GET /usage', query, signal)).report
  const { report } =
    shown.keyId === ''
      ? await call('GET /accounts/{account}/usage', { account, ...query }, signal)
      : await call(
          'GET /accounts/{account}/keys/{key}/usage',
          { account, key: shown.keyId, ...query },
          signal,
        )
  return report
}

function exportsOf(
  account: string,
  shown: UsageQuery,
  report: Report | undefined,
): readonly MenuItem[] {
  const { keyId, period, isOfAll } = shown
  const sent = {
    ...(keyId === '' ? {} : { key: keyId }),
    span: report?.span ?? 'hour',
    since: report?.from ?? 0,
    ...(typeof period === 'string' || report === undefined ? {} : { until: report.until }),
    ...filterOf(shown),
  } as const
  const download = { icon: 'download' } as const
  const [csv, json] = isOfAll
    ? [linkOf('GET /usage/export', sent), linkOf('GET /usage/lines', sent)]
    : [
        linkOf('GET /accounts/{account}/usage/export', { account, ...sent }),
        linkOf('GET /accounts/{account}/usage/lines', { account, ...sent }),
      ]
  return [
    { ...download, title: 'CSV', href: csv, download: 'usage.csv' },
    { ...download, title: 'JSON', href: json, download: 'usage.json' },
  ]
}

function UsageReport({
  report,
  before,
  shown,
  onZoom,
}: Compared & {
  readonly shown: UsageQuery
  /** Milliseconds since 1970. */
  onZoom(from: number, until: number): void
}) {
  const { zone } = shown
  if (report.totals.requests === 0 && (before?.totals.requests ?? 0) === 0) {
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
      <UsageFigures report={report} before={before} />
      <Card title="Calls by outcome">
        <OutcomeChart series={seriesOf(report, before)} zone={zone} onZoom={onZoom} />
      </Card>
      <Breakdowns report={report} shown={shown} />
      {report.totals.latency !== null && (
        <Card
          title="Latency"
          actions={
            <small class="soft">
              {shown.method === '' ? 'milliseconds, all methods' : `milliseconds, ${shown.method}`}
            </small>
          }
        >
          <LatencyChart series={report.series} zone={zone} />
        </Card>
      )}
    </>
  )
}
