// Overview: endpoints, code snippets, first steps, and the state of the server.
import { call } from '../app/api.ts'
import { apiBasesOf } from '../app/api-bases.ts'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { PageHead } from '../ui/card.tsx'
import { Show } from '../ui/note.tsx'
import { Checklist } from './start/checklist.tsx'
import { Endpoints } from './start/endpoints.tsx'
import { Snippets } from './start/snippets.tsx'
import { UpstreamSummary } from './start/upstream-summary.tsx'
import { Networks, Server } from './start/status.tsx'

const refreshMs = 5_000

export function StartPage() {
  const { account, isOperator } = useSession()
  const status = useLoaded((signal) => call('GET /status', {}, signal), [], {
    everyMs: refreshMs,
  })
  return (
    <>
      <PageHead title="Overview" />
      <Show loaded={status}>
        {(found) => {
          const bases = apiBasesOf(location, found.facesPort)
          const networks = found.networks.map(({ name }) => name)
          return (
            <div class="columns">
              <div class="stack">
                <Snippets bases={bases} networks={networks} />
                <Endpoints bases={bases} networks={networks} />
              </div>
              <div class="stack">
                {account !== null && <Checklist />}
                <Networks networks={found.networks} />
                {isOperator && <UpstreamSummary />}
                <Server status={found} now={Date.now()} />
              </div>
            </div>
          )
        }}
      </Show>
    </>
  )
}
