// The latest changes of the account, for its owners.
import { call } from '../../app/api.ts'
import { auditSentence } from '../../app/audit-sentence.ts'
import { formatSince, formatTime } from '../../app/format.ts'
import { loadKeyNames } from '../../app/key-options.ts'
import { Link } from '../../app/router.tsx'
import { useAccount } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { useMay } from '../../app/use-may.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, Show } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'

const shownMax = 5
const refreshMs = 30_000

export function RecentChanges() {
  const { id: account } = useAccount()
  const isOwner = useMay('owner')
  const found = useLoaded(
    async (signal) => {
      if (!isOwner) return null
      const query = { account, limit: shownMax }
      const { records } = await call('GET /accounts/{account}/audit', query, signal)
      const targets = records.map(({ target }) => target ?? '').filter((target) => target !== '')
      return { records, names: await loadKeyNames(account, targets, signal) }
    },
    [account, isOwner],
    { everyMs: refreshMs },
  )
  if (!isOwner) return null
  return (
    <Card title="Recent changes" flush actions={<Link to="/audit">Audit log</Link>}>
      <Show loaded={found}>
        {(value) => (
          <Table
            caption="Recent changes"
            dense
            rows={value?.records ?? []}
            keyOf={({ id }) => String(id)}
            empty={
              <Empty title="No changes yet">
                Changes to keys, people and settings show up here.
              </Empty>
            }
            columns={[
              {
                title: 'Change',
                cell: (record) => {
                  const {
                    actor,
                    verb: words,
                    target,
                  } = auditSentence(record, value?.names ?? new Map())
                  return (
                    <span class="change" title={`${actor} ${words} ${target ?? ''}`.trim()}>
                      <b>{actor}</b> {words} {target}
                    </span>
                  )
                },
              },
              {
                title: 'When',
                number: true,
                unit: '',
                cell: ({ time }) => (
                  <span class="soft" title={formatTime(time)}>
                    {formatSince(time, Date.now())}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Show>
    </Card>
  )
}
