// Routers and peers of the DHT that list this server as a provider of a public pin. They are queried on request, since that takes
// seconds.
// Tested by test/browser/network.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatCount } from '../app/format.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Problem } from '../ui/note.tsx'

type Check = AdminReply<'GET /accounts/{account}/files/{cid}/providers'>['checks'][number]

type Place = { readonly account: string; readonly cid: string }

export function FoundBy(place: Place) {
  const [isRequested, setRequested] = useState(false)
  if (isRequested) return <Checks {...place} />
  return (
    <button class="button small" type="button" onClick={() => setRequested(true)}>
      Check now
    </button>
  )
}

function Checks({ account, cid }: Place) {
  const { value, error, busy, again } = useLoaded(
    (signal) => call('GET /accounts/{account}/files/{cid}/providers', { account, cid }, signal),
    [account, cid],
  )
  if (busy) return <span role="status">Checking…</span>
  if (error !== null || value === undefined) {
    return error === null ? null : <Problem error={error} again={again} />
  }
  const answers = value.checks.filter(({ answered }) => answered > 0)
  const found = answers.filter(({ listed }) => listed > 0).length
  return (
    <>
      <p>
        {answers.length === 0
          ? 'No answer'
          : `${found} of ${formatCount(answers.length, 'lookup')}`}
      </p>
      <ul class="plain soft">
        {value.checks.map((check, at) => (
          <li key={at}>{sentenceOf(check)}</li>
        ))}
      </ul>
      <button class="button small" type="button" onClick={again}>
        Check again
      </button>
    </>
  )
}

function sentenceOf({ by, answered, listed }: Check): string {
  if (answered === 0) return `${by}: no answer`
  if (listed === 0) return `${by}: not found`
  return by === 'DHT' ? `DHT: found at ${formatCount(listed, 'peer')}` : `${by}: found`
}
