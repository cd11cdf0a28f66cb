// The keys with the most calls in the period.
import { callWord, formatNumber } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { percent } from '../../usage/outcome-series.ts'
import type { Report } from './traffic-figures.tsx'

const shownMax = 5

export function BusiestKeys({ report }: { readonly report: Report | undefined }) {
  return (
    <Card title="Busiest keys" flush actions={<Link to="/usage">All usage</Link>}>
      <Table
        caption="Busiest keys"
        dense
        rows={(report?.holders ?? []).slice(0, shownMax)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No calls in this period">Try a longer one, or send a test call.</Empty>
        }
        columns={[
          {
            title: 'Key',
            cell: ({ id, name }) => (
              <Link to={`/keys/${id}`} class="name">
                {name}
              </Link>
            ),
          },
          {
            title: 'Calls',
            number: true,
            unit: ({ requests }) => callWord(requests),
            cell: ({ requests }) => formatNumber(requests),
          },
          {
            title: 'Errors',
            number: true,
            cell: ({ failed, requests }) => percent(failed, requests),
          },
        ]}
      />
    </Card>
  )
}
