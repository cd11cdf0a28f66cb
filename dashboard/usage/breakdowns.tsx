// Tables of usage: by key, method, network, status and reason.
// Tested by test/browser/usage.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { formatBytes, formatMs, formatNumber } from '../app/format.ts'
import { Card } from '../ui/card.tsx'
import { type Column, Table } from '../ui/table.tsx'

export type Report = AdminReply<'GET /accounts/{account}/usage'>['report']

type Counted = Pick<
  Report['statuses'][number],
  'requests' | 'failed' | 'units' | 'bytesIn' | 'bytesOut'
>

/** Columns with the sums of a row. */
export function sums<Row extends Counted>(): readonly Column<Row>[] {
  return [
    { title: 'Calls', number: true, cell: ({ requests }) => formatNumber(requests) },
    { title: 'Failed', number: true, cell: ({ failed }) => formatNumber(failed) },
    { title: 'Units', number: true, cell: ({ units }) => formatNumber(units) },
    { title: 'Received', number: true, cell: ({ bytesIn }) => formatBytes(bytesIn) },
    { title: 'Sent', number: true, cell: ({ bytesOut }) => formatBytes(bytesOut) },
  ]
}

export function Breakdowns({ report }: { readonly report: Report }) {
  const { holders, networks, methods, statuses, reasons, table } = report
  return (
    <>
      {holders.length > 0 && (
        <Card title="By key" flush>
          <Table
            caption="Usage by key"
            rows={holders}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Key', cell: ({ name }) => name },
              ...sums<Report['holders'][number]>(),
            ]}
          />
        </Card>
      )}
      <Card title="By method" flush>
        <Table
          caption="Usage by method"
          rows={methods}
          keyOf={({ face, method }) => `${face} ${method}`}
          columns={[
            { title: 'Method', cell: ({ method }) => <span class="mono">{method || 'none'}</span> },
            ...sums<Report['methods'][number]>(),
            {
              title: 'p95',
              number: true,
              cell: ({ latency }) => (latency === null ? '' : formatMs(latency.p95Ms)),
            },
          ]}
        />
      </Card>
      <Card title="By network" flush>
        <Table
          caption="Usage by network"
          rows={networks}
          keyOf={({ face, network }) => `${face} ${network}`}
          columns={[
            {
              title: 'Network',
              cell: ({ face, network }) => (face === 'files' ? 'IPFS API' : network),
            },
            ...sums<Report['networks'][number]>(),
          ]}
        />
      </Card>
      <Card title="By status" flush>
        <Table
          caption="Usage by status"
          rows={statuses}
          keyOf={({ status }) => String(status)}
          columns={[
            { title: 'Status', cell: ({ status }) => String(status) },
            ...sums<Report['statuses'][number]>(),
          ]}
        />
      </Card>
      {reasons.length > 0 && <ByReason reasons={reasons} />}
      <ByOutcome table={table} />
    </>
  )
}

function ByReason({ reasons }: Pick<Report, 'reasons'>) {
  return (
    <Card title="Failures and refusals by reason" flush>
      <Table
        caption="Failures and refusals by reason"
        rows={reasons}
        keyOf={({ outcome, reason }) => `${outcome} ${reason}`}
        columns={[
          {
            title: 'Reason',
            cell: ({ outcome, reason }) => (
              <span class="mono">{reason === '' ? outcome : `${outcome}: ${reason}`}</span>
            ),
          },
          ...sums<Report['reasons'][number]>(),
        ]}
      />
    </Card>
  )
}

function ByOutcome({ table }: Pick<Report, 'table'>) {
  return (
    <Card title="Network, method and outcome" flush>
      <Table
        caption="Usage by network, method and outcome"
        rows={table}
        keyOf={({ face, network, method, outcome, status }) =>
          `${face} ${network} ${method} ${outcome} ${status}`
        }
        columns={[
          { title: 'Method', cell: ({ method }) => <span class="mono">{method || 'none'}</span> },
          {
            title: 'Network',
            cell: ({ face, network }) => (face === 'files' ? 'IPFS API' : network),
          },
          { title: 'Outcome', cell: ({ outcome }) => outcome },
          { title: 'Status', number: true, cell: ({ status }) => String(status) },
          ...sums<Report['table'][number]>(),
        ]}
      />
    </Card>
  )
}
