// State of the networks and the store.
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatBytes, formatNumber, formatSince } from '../../app/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Progress } from '../../ui/progress.tsx'
import { Table } from '../../ui/table.tsx'

export type Status = AdminReply<'GET /status'>

export function Networks({ networks }: Pick<Status, 'networks'>) {
  return (
    <Card title="Networks" flush>
      <Table
        caption="Served networks"
        keyOf={({ name }) => name}
        rows={networks}
        columns={[
          { title: 'Network', cell: ({ name }) => name },
          {
            title: 'Newest block',
            number: true,
            cell: ({ head }) => (head === null ? '–' : formatNumber(Number(head))),
          },
          {
            title: 'State',
            cell: ({ head, embedded }) => (
              <Badge tone={head === null ? 'bad' : 'good'}>
                {head === null ? 'No recent head' : embedded ? 'Local chain' : 'Up to date'}
              </Badge>
            ),
          },
        ]}
      />
    </Card>
  )
}

export function Server({ status, now }: { readonly status: Status; readonly now: number }) {
  const { store, version, started, ready } = status
  return (
    <Card title="Server">
      <Facts
        rows={[
          [
            'State',
            <Badge key="state" tone={ready ? 'good' : 'bad'}>
              {ready ? 'Ready' : 'Not ready'}
            </Badge>,
          ],
          ['Version', version],
          ['Started', formatSince(started, now)],
          [
            'Store',
            store.writable
              ? `${formatBytes(store.bytes)} on disk`
              : 'read-only: the store cannot write',
          ],
        ]}
      />
      {store.bytesMax !== null && (
        <Progress
          title="Store"
          value={store.bytes}
          max={store.bytesMax}
          text={`${formatBytes(store.bytes)} of ${formatBytes(store.bytesMax)}`}
          tone={store.bytes > 0.9 * store.bytesMax ? 'bad' : 'plain'}
        />
      )}
    </Card>
  )
}
