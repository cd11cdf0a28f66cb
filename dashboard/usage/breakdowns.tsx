// Tables of usage, ten rows per page or all: methods, errors with who is responsible, keys or accounts, networks.
// Tested by test/browser/usage.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { outcomeClassOf } from '../../src/base/outcome-class.ts'
import { callWord, formatMs, formatNumber } from '../app/format.ts'
import { outcomeTitle, responsibility } from '../app/outcome.ts'
import { Link } from '../app/router.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/note.tsx'
import { Share } from '../ui/share.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { percent } from './outcome-series.ts'
import { usageAddress, type UsageQuery } from './usage-query.ts'

export type Report = AdminReply<'GET /accounts/{account}/usage'>['report']

type Counted = { readonly requests: number; readonly failed: number }

const rowsMax = 10

function counts<Row extends Counted>(): readonly Column<Row>[] {
  return [
    {
      title: 'Calls',
      number: true,
      unit: ({ requests }) => callWord(requests),
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

/** A bar in each row, proportional to the largest row. */
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

/** The first ten rows, with pages, and a button that shows all. */
function TopTable<Row>(props: Parameters<typeof Table<Row>>[0]) {
  const [showsAll, setShowsAll] = useState(false)
  const count = props.rows.length
  if (count <= rowsMax) return <Table {...props} dense />
  return (
    <Table
      {...props}
      dense
      pageSize={showsAll ? count : rowsMax}
      foot={
        <button class="link" type="button" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? `Show ${rowsMax}` : `Show all ${formatNumber(count)}`}
        </button>
      }
    />
  )
}

export function Breakdowns({
  report,
  shown,
}: {
  readonly report: Report
  /** Each row links to this query with an additional filter. */
  readonly shown: UsageQuery
}) {
  const { holders, networks, methods, reasons } = report
  const { keyId, isOfAll } = shown
  return (
    <div class="halves">
      <Card title="Methods" flush>
        <TopTable
          caption="Usage by method"
          rows={methods}
          keyOf={({ face, method }) => `${face} ${method}`}
          columns={[
            {
              title: 'Method',
              cell: ({ method }) =>
                method === '' ? (
                  'refused before reading'
                ) : (
                  <Link to={usageAddress({ ...shown, method })} class="mono">
                    {method}
                  </Link>
                ),
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
          <Card title={isOfAll ? 'Accounts' : 'Keys'} flush>
            <TopTable
              caption={isOfAll ? 'Usage by account' : 'Usage by key'}
              rows={holders}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: isOfAll ? 'Account' : 'Key',
                  cell: ({ id, name }) =>
                    isOfAll ? (
                      <span class="name">{name}</span>
                    ) : (
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
          <TopTable
            caption="Usage by network"
            rows={networks}
            keyOf={({ face, network }) => `${face} ${network}`}
            columns={[
              {
                title: 'Network',
                cell: ({ face, network }) => {
                  const isIpfs = face === 'files'
                  const to = { ...shown, isIpfs, network: isIpfs ? '' : network }
                  return <Link to={usageAddress(to)}>{isIpfs ? 'IPFS API' : network}</Link>
                },
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
      <TopTable
        caption="Errors"
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
            unit: (row) => callWord(row.requests),
            sort: (row) => row.requests,
            cell: (row) => formatNumber(row.requests),
          },
          { title: 'Whose', cell: ({ outcome }) => responsibility[outcomeClassOf(outcome)] },
          bar(reasons, ({ outcome }) => {
            const name = outcomeClassOf(outcome)
            return name === 'answered' ? '' : name
          }),
        ]}
      />
    </Card>
  )
}
