// Calls of the last minute: server-sent events, one per second while the page is visible.
// Tested by test/browser/usage.test.ts
import { useEffect, useState } from 'preact/hooks'
import { type AdminEvent, linkOf } from '../../src/admin/client.ts'
import { formatNumber } from '../app/format.ts'
import { useVisible } from '../app/use-visible.ts'
import { State } from '../ui/badge.tsx'

const secondsShown = 60

type Second = { readonly time: number; readonly requests: number }

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
  const isVisible = useVisible()
  useEffect(() => {
    setSeconds([])
    if (!isVisible) return undefined
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
      setSeconds((were) => [...were, { time, requests: totals.requests }].slice(-secondsShown))
    }
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => {
      source.close()
      clearInterval(timer)
    }
  }, [account, keyId, isVisible])
  const recent = seconds.filter(({ time }) => time > now - secondsShown * 1000)
  const sum = recent.reduce((all, { requests }) => all + requests, 0)
  return (
    <small class="soft end row">
      <State tone={isOpen ? 'good' : 'plain'}>{isOpen ? 'Live' : 'Connecting'}</State>
      <span>
        <b data-live>{formatNumber(sum)}</b> {sum === 1 ? 'call' : 'calls'} in the last minute · UTC
      </span>
    </small>
  )
}
