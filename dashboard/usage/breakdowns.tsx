// Tables of usage, ten rows a page: methods, errors with whose matter they are, keys, networks.
// Tested by test/browser/usage.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { outcomeClassOf } from '../../src/base/outcome-class.ts'
import { formatMs, formatNumber } from '../app/format.ts'
import { outcomeTitle, whose } from '../app/outcome.ts'
import { Link } from '../app/router.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/note.tsx'
import { Share } from '../ui/share.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { percent } from './outcome-series.ts'

export type Report = AdminReply<'GET /accounts/{account}/usage'>['report']

type Counted = { readonly requests: number; readonly failed: number }

const rowsMax = 10

function counts<Row extends Counted>(): readonly Column<Row>[] {
  return [
    {
      title: 'Calls',
      number: true,
      sort: ({ requests }) => requests,
      cell: ({ requests }) => formatNumber(requests),
    },
    {
      title: 'Errors',
      number: true,
      sort: ({ requests, failed }) => failed / requests,
      cell: ({ requests, failed }) => percent(failed, requests),
    },
  ]
}

/** A bar beside each row, as long as its part of the largest row. */
function bar<Row extends Counted>(
  rows: readonly Row[],
  toneOf: (row: Row) => '' | 'caller' | 'refused' | 'failed' = () => '',
): Column<Row> {
  const most = Math.max(1, ...rows.map(({ requests }) => requests))
  return {
    title: 'Share',
    hides: 'wide',
    cell: (row) => <Share part={row.requests / most} tone={toneOf(row)} />,
  }
}

export function Breakdowns({
  report,
  keyId,
}: {
  readonly report: Report
  /** Of the shown key, whose requests are linked; empty: all. */
  readonly keyId: string
}) {
  const { holders, networks, methods, reasons } = report
  return (
    <div class="halves">
      <Card title="Methods" flush>
        <Table
          caption="Usage by method"
          dense
          pageSize={rowsMax}
          rows={methods}
          keyOf={({ face, method }) => `${face} ${method}`}
          columns={[
            {
              title: 'Method',
              cell: ({ method }) => <span class="mono">{method || 'refused before reading'}</span>,
            },
            ...counts<Report['methods'][number]>(),
            {
              title: 'p95',
              number: true,
              sort: ({ latency }) => latency?.p95Ms ?? 0,
              cell: ({ latency }) => (latency === null ? '–' : formatMs(latency.p95Ms)),
            },
            bar(methods),
          ]}
        />
      </Card>
      <div class="stack">
        <Errors reasons={reasons} keyId={keyId} />
        {holders.length > 0 && (
          <Card title="Keys" flush>
            <Table
              caption="Usage by key"
              dense
              pageSize={rowsMax}
              rows={holders}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Key',
                  cell: ({ id, name }) => (
                    <Link to={`/keys/${id}`} class="name">
                      {name}
                    </Link>
                  ),
                },
                ...counts<Report['holders'][number]>(),
                bar(holders),
              ]}
            />
          </Card>
        )}
        <Card title="Networks" flush>
          <Table
            caption="Usage by network"
            dense
            pageSize={rowsMax}
            rows={networks}
            keyOf={({ face, network }) => `${face} ${network}`}
            columns={[
              {
                title: 'Network',
                cell: ({ face, network }) => (face === 'files' ? 'IPFS API' : network),
              },
              ...counts<Report['networks'][number]>(),
              bar(networks),
            ]}
          />
        </Card>
      </div>
    </div>
  )
}

function Errors({ reasons, keyId }: Pick<Report, 'reasons'> & { readonly keyId: string }) {
  const requests = keyId === '' ? '/requests' : `/requests?key=${keyId}`
  return (
    <Card title="Errors" flush actions={<Link to={requests}>See requests</Link>}>
      <Table
        caption="Errors"
        dense
        pageSize={rowsMax}
        rows={reasons}
        keyOf={({ outcome, reason }) => `${outcome} ${reason}`}
        empty={<Empty title="Every call was answered" />}
        columns={[
          {
            title: 'Error',
            cell: ({ outcome, reason }) => (
              <span class="change">
                {outcomeTitle(outcome, reason)} <span class="mono soft">{outcome}</span>
              </span>
            ),
          },
          {
            title: 'Calls',
            number: true,
            sort: (row) => row.requests,
            cell: (row) => formatNumber(row.requests),
          },
          { title: 'Whose', cell: ({ outcome }) => whose[outcomeClassOf(outcome)] },
          bar(reasons, ({ outcome }) => {
            const name = outcomeClassOf(outcome)
            return name === 'answered' ? '' : name
          }),
        ]}
      />
    </Card>
  )
}
