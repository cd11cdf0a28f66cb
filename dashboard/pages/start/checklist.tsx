// The first steps, each green once it is done: looked at anew while the page is open.
import type { listKeys } from '../../../src/gateway/admin/list-keys.ts'
import { call } from '../../app/api.ts'
import { Link } from '../../app/router.tsx'
import { useAccount } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Show } from '../../ui/note.tsx'

const lookMs = 3_000

export function Checklist() {
  const { id, hasCard } = useAccount()
  const keys = useLoaded(
    (signal) => call<typeof listKeys>('GET /accounts/{account}/keys', { account: id }, signal),
    [id],
    { everyMs: lookMs },
  )
  return (
    <Card title="First steps" about="Each turns green by itself.">
      <Show loaded={keys}>
        {({ keys: made }) => {
          const alive = made.filter(({ revoked }) => revoked === null)
          return (
            <ul class="plain steps">
              <Step done={alive.length > 0}>
                <Link to="/keys">Make an API key</Link>
              </Step>
              <Step done={alive.some(({ lastUsedDay }) => lastUsedDay !== null)}>
                Send a first call with it
              </Step>
              <Step done={hasCard}>Have a card on file: the file API asks for one</Step>
            </ul>
          )
        }}
      </Show>
    </Card>
  )
}

function Step({
  done,
  children,
}: {
  readonly done: boolean
  readonly children: preact.ComponentChildren
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
