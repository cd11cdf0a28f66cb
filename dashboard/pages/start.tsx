// Where one begins: addresses, first lines of code, first steps, and how the server stands.
import { call } from '../app/api.ts'
import { facesOf } from '../app/faces.ts'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { PageHead } from '../ui/card.tsx'
import { Show } from '../ui/note.tsx'
import { Checklist } from './start/checklist.tsx'
import { Endpoints } from './start/endpoints.tsx'
import { Snippets } from './start/snippets.tsx'
import { UpstreamSummary } from './start/upstream-summary.tsx'
import { Networks, Server } from './start/status.tsx'

const lookMs = 5_000

export function StartPage() {
  const { account, isOperator } = useSession()
  const status = useLoaded((signal) => call('GET /status', {}, signal), [], {
    everyMs: lookMs,
  })
  return (
    <>
      <PageHead title="Start" about="What is served here, and how to call it." />
      <Show loaded={status}>
        {(found) => {
          const faces = facesOf(location, found.facesPort)
          const networks = found.networks.map(({ name }) => name)
          return (
            <div class="columns">
              <div class="stack">
                <Snippets faces={faces} networks={networks} />
                <Endpoints faces={faces} networks={networks} />
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
