// Calls of the last minute: server-sent events, one per second while the page is visible.
// Tested by test/browser/usage.test.ts
import { useEffect, useState } from 'preact/hooks'
import { type AdminEvent, linkOf } from '../../src/admin/client.ts'
import { formatNumber } from '../app/format.ts'
import { useVisible } from '../app/use-visible.ts'
import { State } from '../ui/badge.tsx'
import type { UsageQuery } from './usage-query.ts'

const secondsShown = 60

type Second = { readonly time: number; readonly requests: number }
type Event = AdminEvent<'GET /accounts/{account}/usage/live'>

export function Live({ account, shown }: { readonly account: string; readonly shown: UsageQuery }) {
  const { isOfAll, keyId, network, method, isIpfs } = shown
  const [seconds, setSeconds] = useState<readonly Second[]>([])
  const [isOpen, setOpen] = useState(false)
  const [now, setNow] = useState(Date.now())
  const isVisible = useVisible()
  useEffect(() => {
    setSeconds([])
    if (!isVisible) return undefined
    const source = new EventSource(
      isOfAll
        ? linkOf('GET /usage/live', {})
        : linkOf('GET /accounts/{account}/usage/live', {
            account,
            ...(keyId === '' ? {} : { key: keyId }),
          }),
    )
    source.onopen = () => setOpen(true)
    source.onerror = () => setOpen(false)
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const second = JSON.parse(data) as Event
      const requests = callsIn(second, { network, method, isIpfs })
      setSeconds((were) => [...were, { time: second.time, requests }].slice(-secondsShown))
    }
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => {
      source.close()
      clearInterval(timer)
    }
  }, [account, isOfAll, keyId, network, method, isIpfs, isVisible])
  const recent = seconds.filter(({ time }) => time > now - secondsShown * 1000)
  const sum = recent.reduce((all, { requests }) => all + requests, 0)
  return (
    <small class="soft row">
      <State tone={isOpen ? 'good' : 'plain'}>{isOpen ? 'Live' : 'Connecting'}</State>
      <span>
        <b data-live>{formatNumber(sum)}</b> {sum === 1 ? 'call' : 'calls'} in the last minute
      </span>
    </small>
  )
}

/** Calls that match the filter. */
function callsIn(
  { totals, parts }: Event,
  { network, method, isIpfs }: Pick<UsageQuery, 'network' | 'method' | 'isIpfs'>,
): number {
  if (network === '' && method === '' && !isIpfs) return totals.requests
  return parts
    .filter(
      (part) =>
        (!isIpfs || part.face === 'files') &&
        (network === '' || part.network === network) &&
        (method === '' || part.method === method),
    )
    .reduce((sum, { requests }) => sum + requests, 0)
}
