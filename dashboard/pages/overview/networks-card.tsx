// The served networks: newest block, upstreams (for operators), latency and calls.
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatMs, formatNumber } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { useMay } from '../../app/use-may.ts'
import { State } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { Report } from './traffic-figures.tsx'

type Status = AdminReply<'GET /status'>
type Network = Status['networks'][number]
type Upstreams = AdminReply<'GET /upstreams'>

/** More networks are on their page. */
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
      title: isOperator ? 'Upstreams' : 'State',
      keep: true,
      cell: (network) => <Health network={network} upstreams={upstreams} />,
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
        columns={report === undefined ? columns.slice(0, 3) : columns}
        rows={status.networks.slice(0, shownMax)}
        keyOf={({ name }) => name}
        {...(more > 0 ? { foot: `and ${more} more` } : {})}
      />
    </Card>
  )
}

function Health({
  network: { name, head, embedded },
  upstreams,
}: {
  readonly network: Network
  readonly upstreams: Upstreams | undefined
}) {
  if (embedded) return <State tone="good">Built in</State>
  const own = upstreams?.upstreams.filter(({ network }) => network === name) ?? []
  const healthy = own.filter(({ state }) => state === 'ok').length
  if (head === null) return <State tone="bad">No recent block</State>
  if (own.length === 0) return <State tone="good">Up to date</State>
  return healthy === own.length ? (
    <State tone="good">{healthy} healthy</State>
  ) : (
    <State tone={healthy === 0 ? 'bad' : 'warn'}>{`${healthy} of ${own.length} healthy`}</State>
  )
}
