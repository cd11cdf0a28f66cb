// Overview: problems, traffic with errors and latency, networks, disk and backups of the server, the busiest keys and the latest
// changes. A new account sees its first steps and code instead of empty figures.
// Tested by test/browser/start.test.ts, test/browser/overview.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { apiBasesOf } from '../app/api-bases.ts'
import { attentionOf } from '../app/attention.ts'
import { useAccount, useSession } from '../app/session.tsx'
import { type Loaded, useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Show } from '../ui/note.tsx'
import { Segments } from '../ui/toolbar.tsx'
import { AttentionCard } from './overview/attention-card.tsx'
import { BusiestKeys } from './overview/busiest-keys.tsx'
import { NetworksCard } from './overview/networks-card.tsx'
import { RecentChanges } from './overview/recent-changes.tsx'
import { ServerFigures } from './overview/server-figures.tsx'
import { type Report, TrafficFigures } from './overview/traffic-figures.tsx'
import { seriesOf } from '../usage/outcome-series.ts'
import { Checklist, loadSteps } from './start/checklist.tsx'
import { Snippets } from './start/snippets.tsx'
import { OutcomeChart } from '../ui/outcome-chart.tsx'

const windows = [
  { value: '1h', title: '1 h' },
  { value: '24h', title: '24 h' },
  { value: '7d', title: '7 d' },
  { value: '30d', title: '30 d' },
] as const

type Window = (typeof windows)[number]['value']

const statusMs = 5_000
const usageMs = 10_000

export function OverviewPage() {
  const { account } = useSession()
  return account === null ? <OfServer /> : <OfAccount />
}

/** Shown to people without an account. */
function OfServer() {
  const status = useLoaded((signal) => call('GET /status', {}, signal), [], { everyMs: statusMs })
  const server = useServer()
  return (
    <>
      <PageHead title="Overview" />
      <AttentionCard
        items={attentionOf({ status: status.value, ...server.value }, Date.now())}
        isLoaded={status.value !== undefined}
      />
      <Show loaded={status}>
        {(found) => <NetworksCard status={found} upstreams={server.value?.upstreams} />}
      </Show>
      <Server status={status.value} server={server.value} />
    </>
  )
}

/** Data that only operators may see; empty for other people. */
function useServer() {
  const isOperator = useMay('operator')
  return useLoaded(
    async (signal) => {
      if (!isOperator) return {}
      const [upstreams, backups] = await Promise.all([
        call('GET /upstreams', {}, signal),
        call('GET /backups/state', {}, signal),
      ])
      return { upstreams, backups }
    },
    [isOperator],
    { everyMs: usageMs },
  )
}

function OfAccount() {
  const account = useAccount()
  const [window, setWindow] = useState<Window>('24h')
  const status = useLoaded((signal) => call('GET /status', {}, signal), [], { everyMs: statusMs })
  const server = useServer()
  const keys = useLoaded(
    (signal) => call('GET /accounts/{account}/key-usage', { account: account.id }, signal),
    [account.id],
    { everyMs: usageMs },
  )
  const isOwner = useMay('owner')
  const alerts = useLoaded(
    async (signal) =>
      isOwner
        ? await call('GET /accounts/{account}/alerts', { account: account.id }, signal)
        : undefined,
    [account.id, isOwner],
    { everyMs: usageMs },
  )
  const usage = useLoaded(
    (signal) =>
      call('GET /accounts/{account}/usage', { account: account.id, window, by: 'outcome' }, signal),
    [account.id, window],
    { everyMs: usageMs },
  )
  const limits = useLoaded(
    (signal) => call('GET /accounts/{account}', { account: account.id }, signal),
    [account.id],
  )
  // Loaded once: the steps remain while the page is open, so that each is shown as done.
  const steps = useLoaded((signal) => loadSteps(account.id, signal), [account.id])
  const isNew = steps.value !== undefined && !steps.value.rpc
  const items = attentionOf(
    {
      status: status.value,
      ...server.value,
      keys: keys.value?.keys,
      rules: alerts.value?.rules,
      report: usage.value?.report,
    },
    Date.now(),
  )
  return (
    <>
      <PageHead
        title="Overview"
        actions={<Segments title="Period" value={window} options={windows} onValue={setWindow} />}
      />
      <AttentionCard
        items={items}
        isLoaded={status.value !== undefined && keys.value !== undefined}
      />
      {isNew && status.value !== undefined && (
        <div class="columns">
          <Snippets
            bases={apiBasesOf(location, status.value.facesPort)}
            networks={status.value.networks.map(({ name }) => name)}
          />
          <Checklist />
        </div>
      )}
      <Show loaded={usage}>
        {({ report, storage }) => (
          <TrafficFigures
            report={report}
            storedBytes={storage.physicalBytes}
            storedMax={limits.value?.account.settings.filesStoredBytes ?? null}
          />
        )}
      </Show>
      <Show loaded={status}>
        {(found) => (
          <NetworksCard
            status={found}
            upstreams={server.value?.upstreams}
            report={usage.value?.report}
          />
        )}
      </Show>
      {usage.value !== undefined && usage.value.report.totals.requests > 0 && (
        <Traffic report={usage.value.report} />
      )}
      <Server status={status.value} server={server.value} />
      <div class="halves">
        <BusiestKeys report={usage.value?.report} />
        <RecentChanges />
      </div>
    </>
  )
}

/** Renders nothing for people who are not operators. */
function Server({
  status,
  server,
}: {
  readonly status: Loaded<AdminReply<'GET /status'>>['value']
  readonly server: ReturnType<typeof useServer>['value']
}) {
  if (status === undefined || server?.backups === undefined) return null
  return <ServerFigures status={status} backups={server.backups} now={Date.now()} />
}

function Traffic({ report }: { readonly report: Report }) {
  return (
    <Card title="Traffic">
      <OutcomeChart series={seriesOf(report)} />
    </Card>
  )
}
