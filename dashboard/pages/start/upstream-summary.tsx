// How the upstreams stand, in a sentence or two; for operators of servers that have some.
import { call } from '../../app/api.ts'
import { Link } from '../../app/router.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'

const lookMs = 10_000

export function UpstreamSummary() {
  const { value } = useLoaded((signal) => call('GET /upstreams', { lies: 1 }, signal), [], {
    everyMs: lookMs,
  })
  if (value === undefined || value.upstreams.length === 0) return null
  const { upstreams, alarms } = value
  const answering = upstreams.filter(({ state }) => state === 'ok').length
  const lies = upstreams.reduce((sum, one) => sum + one.lies, 0)
  return (
    <Card title="Upstreams" actions={<Link to="/upstreams">All of them</Link>}>
      <Facts
        rows={[
          [
            'Answering',
            <Badge key="answering" tone={answering === upstreams.length ? 'good' : 'warn'}>
              {answering} of {upstreams.length}
            </Badge>,
          ],
          [
            'Caught lying',
            <Badge key="lies" tone={lies === 0 ? 'good' : 'bad'}>
              {lies === 0 ? 'never' : lies === 1 ? 'once' : `${lies} times`}
            </Badge>,
          ],
          ...(alarms.length === 0
            ? []
            : [
                [
                  'Alarms',
                  <Badge key="alarms" tone="bad">
                    {alarms.length}
                  </Badge>,
                ] as const,
              ]),
        ]}
      />
    </Card>
  )
}
