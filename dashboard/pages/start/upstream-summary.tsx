// Summary of the upstreams, for operators of servers with upstreams.
import { call } from '../../app/api.ts'
import { formatNumber } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'

const refreshMs = 10_000

export function UpstreamSummary() {
  const { value } = useLoaded((signal) => call('GET /upstreams', { lies: 1 }, signal), [], {
    everyMs: refreshMs,
  })
  if (value === undefined || value.upstreams.length === 0) return null
  const { upstreams, alarms } = value
  const healthy = upstreams.filter(({ state }) => state === 'ok').length
  const invalid = upstreams.reduce((sum, one) => sum + one.lies, 0)
  return (
    <Card title="Upstreams" actions={<Link to="/upstreams">All upstreams</Link>}>
      <Facts
        rows={[
          [
            'Healthy',
            <Badge key="healthy" tone={healthy === upstreams.length ? 'good' : 'warn'}>
              {healthy} of {upstreams.length}
            </Badge>,
          ],
          [
            'Invalid replies',
            <Badge key="invalid" tone={invalid === 0 ? 'good' : 'bad'}>
              {formatNumber(invalid)}
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
