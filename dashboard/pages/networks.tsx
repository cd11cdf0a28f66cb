// The networks of the server and the upstreams behind them, for operators: health, calls, evidence of invalid replies; add, edit, test, remove.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { formatTime } from '../app/format.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { NetworkCard } from './networks/network-card.tsx'
import { NetworkForm } from './networks/network-form.tsx'
import { RecentErrors } from './networks/recent-errors.tsx'

const refreshMs = 5_000
/** Of more networks, the page shows only the heads at first. */
const openMax = 3
/** Less often, because a report of 24 hours reads more data. */
const usageRefreshMs = 60_000

export function NetworksPage() {
  const [adding, setAdding] = useState(false)
  const found = useLoaded(
    async (signal) => {
      const [{ networks }, status, health, { counts }] = await Promise.all([
        call('GET /networks', {}, signal),
        call('GET /status', {}, signal),
        call('GET /upstreams', { lies: 0 }, signal),
        call('GET /invalid-replies', { limit: 1 }, signal),
      ])
      return { networks, status, health, counts }
    },
    [],
    { everyMs: refreshMs },
  )
  const usage = useLoaded((signal) => call('GET /usage', { window: '24h' }, signal), [], {
    everyMs: usageRefreshMs,
  })
  const answers = usage.value?.report.verified ?? []
  const add = (
    <button
      class={`button${adding ? '' : ' primary'}`}
      type="button"
      onClick={() => setAdding(true)}
    >
      <Icon name="plus" size={16} /> Add network
    </button>
  )
  return (
    <>
      <PageHead
        title="Networks"
        about="What this server answers for, and the nodes behind it."
        actions={!adding && add}
      />
      {adding && (
        <NetworkForm network={null} onDone={found.again} onClose={() => setAdding(false)} />
      )}
      <Show loaded={found}>
        {({ networks, status, health, counts }) => (
          <>
            {health.alarms.map(({ network, need, since }) => (
              <Note key={`${network} ${need}`} tone="bad">
                No upstream of {network} has sent provable {need} since {formatTime(since)}.
              </Note>
            ))}
            {networks.map((network) => (
              <NetworkCard
                key={network.name}
                network={network}
                headAgeMs={
                  status.networks.find(({ name }) => name === network.name)?.headAgeMs ?? null
                }
                answers={answers.filter((one) => one.network === network.name)}
                health={health}
                invalidReplies={counts}
                folded={networks.length > openMax}
                onChanged={found.again}
              />
            ))}
            {networks.every(({ embedded }) => embedded) && !adding && (
              <Card>
                <Empty icon="networks" title="Only the local chain so far" action={add}>
                  Add your own nodes or a provider; Cairn checks their answers.
                </Empty>
              </Card>
            )}
          </>
        )}
      </Show>
      <RecentErrors />
    </>
  )
}
