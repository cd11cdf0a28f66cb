// First steps of a new account. Reloaded every 3 s, so that a completed step is marked as done.
import type { ComponentChildren } from 'preact'
import { call } from '../../app/api.ts'
import { Link } from '../../app/router.tsx'
import { useAccount, useSession } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Show } from '../../ui/note.tsx'

const refreshMs = 3_000

type Steps = {
  readonly key: boolean
  readonly rpc: boolean
  readonly card: boolean
  readonly files: boolean
}

export async function loadSteps(account: string, signal: AbortSignal): Promise<Steps> {
  const [{ found: keys }, { report }, { opensFiles }] = await Promise.all([
    call('GET /accounts/{account}/keys', { account, state: 'active', limit: 1 }, signal),
    call('GET /accounts/{account}/usage', { account, window: '30d' }, signal),
    call('GET /accounts/{account}/card', { account }, signal),
  ])
  const answered = (face: 'rpc' | 'files'): boolean =>
    report.networks.some((one) => one.face === face && one.requests > one.failed)
  return {
    key: keys > 0,
    rpc: answered('rpc'),
    card: opensFiles,
    files: answered('files'),
  }
}

export function Checklist() {
  const { id } = useAccount()
  const { person } = useSession()
  const steps = useLoaded((signal) => loadSteps(id, signal), [id], { everyMs: refreshMs })
  return (
    <Card title="First steps">
      <Show loaded={steps}>
        {({ key, rpc, card, files }) => (
          <ul class="plain steps">
            <Step done={key}>
              <Link to="/keys">Create an API key</Link>
            </Step>
            <Step done={rpc}>Send a JSON-RPC call</Step>
            <Step done={card}>
              <Link to="/card">Add a card</Link> to open the IPFS API
            </Step>
            <Step done={files}>
              <Link to="/files">Add a file</Link>
            </Step>
            <Step done={person.hasTotp || person.passkeys > 0}>
              <Link to="/profile">Add a passkey or an authenticator app</Link>
            </Step>
          </ul>
        )}
      </Show>
    </Card>
  )
}

function Step({
  done,
  children,
}: {
  readonly done: boolean
  readonly children: ComponentChildren
}) {
  return (
    <li class={`step${done ? ' done' : ''}`}>
      <span class="step-mark">{done && <Icon name="check" size={14} />}</span>
      <span>
        {children}
        <span class="unseen">{done ? ' (done)' : ' (not yet)'}</span>
      </span>
    </li>
  )
}
