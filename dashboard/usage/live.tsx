// Live usage: server-sent events, one per second, the last 60 as bars.
// Tested by test/browser/usage.test.ts
import { useEffect, useState } from 'preact/hooks'
import { type AdminEvent, linkOf } from '../../src/admin/client.ts'
import { formatNumber } from '../app/format.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'

const secondsShown = 60

type Second = { readonly time: number; readonly requests: number; readonly failed: number }

export function Live({
  account,
  keyId,
}: {
  readonly account: string
  readonly keyId: string | null
}) {
  const [seconds, setSeconds] = useState<readonly Second[]>([])
  const [isOpen, setOpen] = useState(false)
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    setSeconds([])
    const source = new EventSource(
      linkOf('GET /accounts/{account}/usage/live', {
        account,
        ...(keyId === null ? {} : { key: keyId }),
      }),
    )
    source.onopen = () => setOpen(true)
    source.onerror = () => setOpen(false)
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const { time, totals } = JSON.parse(data) as AdminEvent<'GET /accounts/{account}/usage/live'>
      const second = { time, requests: totals.requests, failed: totals.failed }
      setSeconds((were) => [...were, second].slice(-secondsShown))
    }
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => {
      source.close()
      clearInterval(timer)
    }
  }, [account, keyId])
  const recent = seconds.filter(({ time }) => time > now - secondsShown * 1000)
  const sum = recent.reduce((all, { requests }) => all + requests, 0)
  return (
    <Card
      title="Now"
      actions={<Badge tone={isOpen ? 'good' : 'warn'}>{isOpen ? 'Live' : 'Connecting'}</Badge>}
    >
      <p>
        <b data-live>{formatNumber(sum)}</b> {sum === 1 ? 'call' : 'calls'} in the last minute
      </p>
      <Bars seconds={recent} now={now} />
    </Card>
  )
}

function Bars({ seconds, now }: { readonly seconds: readonly Second[]; readonly now: number }) {
  const most = Math.max(1, ...seconds.map(({ requests }) => requests))
  const width = 600 / secondsShown
  return (
    <svg class="bars" viewBox="0 0 600 60" preserveAspectRatio="none" aria-hidden="true">
      {seconds.map(({ time, requests, failed }) => {
        const x = 600 - ((now - time) / 1000 + 1) * width
        const tall = (requests / most) * 58
        return (
          <g key={time}>
            <rect class="good" x={x} width={width * 0.8} y={60 - tall} height={tall} />
            <rect
              class="bad"
              x={x}
              width={width * 0.8}
              y={60 - (failed / most) * 58}
              height={(failed / most) * 58}
            />
          </g>
        )
      })}
    </svg>
  )
}
