// The served networks: newest block and its age, the share of proved answers, upstreams (for operators), latency and calls.
// Tested by test/browser/overview.test.ts
import type { AdminReply } from '../../../src/admin/client.ts'
import { headAgeMaxMs } from '../../app/attention.ts'
import { formatAge, formatMs, formatNumber } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { useMay } from '../../app/use-may.ts'
import { State } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { percent, provedOf } from '../../usage/outcome-series.ts'
import type { Report } from './traffic-figures.tsx'

type Status = AdminReply<'GET /status'>
type Network = Status['networks'][number]
type Upstreams = AdminReply<'GET /upstreams'>

/** Maximum number of networks; the Networks page shows all. */
const shownMax = 8

export function NetworksCard({
  status,
  upstreams,
  report,
}: {
  readonly status: Status
  readonly upstreams?: Upstreams | undefined
  readonly report?: Report | undefined
}) {
  const isOperator = useMay('operator')
  const used = new Map(report?.networks.map((one) => [one.network, one]))
  const answers = report?.verified ?? []
  const more = status.networks.length - shownMax
  const columns: readonly Column<Network>[] = [
    {
      title: 'Network',
      cell: ({ name, chainId, embedded }) => (
        <span class="two">
          <span>{name}</span>
          <small>{`${embedded ? 'Local chain · ' : ''}chain ${chainId}`}</small>
        </span>
      ),
    },
    {
      title: 'Head',
      number: true,
      cell: ({ head }) => (head === null ? '–' : formatNumber(Number(head))),
    },
    {
      title: 'Age',
      number: true,
      unit: '',
      cell: ({ embedded, headAgeMs }) => (embedded ? 'own chain' : ageOf(headAgeMs)),
    },
    {
      title: isOperator ? 'Upstreams' : 'State',
      keep: true,
      cell: (network) => <Health network={network} upstreams={upstreams} />,
    },
    {
      title: 'Proved',
      number: true,
      cell: ({ name }) => {
        const { proof, all } = provedOf(answers.filter(({ network }) => network === name))
        return all === 0 ? (
          '–'
        ) : (
          <span title={`${formatNumber(proof)} of ${formatNumber(all)} answers from chain data`}>
            {percent(proof, all)}
          </span>
        )
      },
    },
    {
      title: 'p95',
      number: true,
      hides: 'wide',
      cell: ({ name }) => {
        const latency = used.get(name)?.latency ?? null
        return latency === null ? '–' : formatMs(latency.p95Ms)
      },
    },
    {
      title: 'Calls',
      number: true,
      hides: 'wide',
      cell: ({ name }) => formatNumber(used.get(name)?.requests ?? 0),
    },
  ]
  return (
    <Card
      title="Networks"
      flush
      actions={isOperator && <Link to="/networks">Manage networks</Link>}
    >
      <Table
        caption="Served networks"
        columns={report === undefined ? columns.slice(0, 4) : columns}
        rows={status.networks.slice(0, shownMax)}
        keyOf={({ name }) => name}
        {...(more > 0 ? { foot: `and ${more} more` } : {})}
      />
    </Card>
  )
}

function ageOf(headAgeMs: number | null): string {
  return headAgeMs === null ? '–' : `${formatAge(headAgeMs)} old`
}

function Health({
  network: { name, head, headAgeMs, embedded },
  upstreams,
}: {
  readonly network: Network
  readonly upstreams: Upstreams | undefined
}) {
  if (embedded) return <State tone="good">Built in</State>
  const own = upstreams?.upstreams.filter(({ network }) => network === name) ?? []
  const healthy = own.filter(({ state }) => state === 'ok').length
  if (head === null) return <State tone="bad">No recent block</State>
  if (own.length === 0) {
    const isOld = headAgeMs !== null && headAgeMs > headAgeMaxMs
    return <State tone={isOld ? 'warn' : 'good'}>{isOld ? 'Old head' : 'Up to date'}</State>
  }
  return healthy === own.length ? (
    <State tone="good">{healthy} healthy</State>
  ) : (
    <State tone={healthy === 0 ? 'bad' : 'warn'}>{`${healthy} of ${own.length} healthy`}</State>
  )
}
