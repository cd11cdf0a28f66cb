// Usage of one key: its calls of the last 24 hours, code snippets with it, and the endpoints.
import { call } from '../../app/api.ts'
import { apiBasesOf } from '../../app/api-bases.ts'
import { useAccount } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card } from '../../ui/card.tsx'
import { Show } from '../../ui/note.tsx'
import { OutcomeChart } from '../../ui/outcome-chart.tsx'
import { seriesOf } from '../../usage/outcome-series.ts'
import { Endpoints } from '../start/endpoints.tsx'
import { Snippets } from '../start/snippets.tsx'
import type { ApiKey } from './settings-form.tsx'

const refreshMs = 15_000

export function KeyOverview({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id: account } = useAccount()
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  const usage = useLoaded(
    (signal) =>
      call(
        'GET /accounts/{account}/keys/{key}/usage',
        { account, key: apiKey.id, window: '24h', by: 'outcome' },
        signal,
      ),
    [account, apiKey.id],
    { everyMs: refreshMs },
  )
  return (
    <div class="stack">
      <Card title="Calls, 24 h">
        <Show loaded={usage}>{({ report }) => <OutcomeChart series={seriesOf(report)} />}</Show>
      </Card>
      <Show loaded={status}>
        {({ facesPort, networks }) => {
          const bases = apiBasesOf(location, facesPort)
          const allowed = networks
            .map(({ name }) => name)
            .filter((name) => apiKey.settings.networks?.includes(name) ?? true)
          return (
            <div class="halves">
              <Snippets bases={bases} networks={allowed} />
              <Endpoints bases={bases} networks={allowed} />
            </div>
          )
        }}
      </Show>
    </div>
  )
}
