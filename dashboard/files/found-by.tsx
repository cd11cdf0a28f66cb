// Whether others find a public pin: the routers and the DHT are queried on request, since that takes seconds.
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
  if (busy) return <span role="status">Checking, at most 30 s…</span>
  if (error !== null || value === undefined) {
    return error === null ? null : <Problem error={error} again={again} />
  }
  const { checks } = value
  const found = checks.filter(({ listed }) => listed > 0).length
  return (
    <>
      <p>
        {found} of {formatCount(checks.length, 'lookup')}
      </p>
      <ul class="plain soft">
        {checks.map((check) => (
          <li key={check.by}>{sentenceOf(check)}</li>
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
  const isFound = listed > 0
  if (by !== 'DHT') return `${by}: ${isFound ? 'found' : 'not found'}`
  return isFound ? `DHT: listed by ${listed} of ${formatCount(answered, 'peer')}` : 'DHT: not found'
}
