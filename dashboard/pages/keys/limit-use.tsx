// A key's usage of its limits: in words and as a bar below each field.
// Tested by test/browser/keys.test.ts
import { call } from '../../app/api.ts'
import { formatBytes, formatDay, formatShort } from '../../app/format.ts'
import { useAccount } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Share, toneOf } from '../../ui/share.tsx'

export type LimitUse = {
  readonly unitsToday: number
  /** The day with the most units in the last 30 days; null: no usage. */
  readonly mostUnits: { readonly day: number; readonly units: number } | null
  /** IPFS API bytes in this UTC month. */
  readonly uploaded: number
  readonly downloaded: number
  /** Stored bytes of the account, which all its keys share. */
  readonly stored: number
}

/** Price of most reads, such as `eth_call` and `eth_getBalance`, in units. */
const typicalUnits = 80

export function useLimitUse(key: string): LimitUse | null {
  const { id: account } = useAccount()
  const loaded = useLoaded(
    async (signal) => {
      const now = Date.now()
      const month = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth())
      const path = { account, key } as const
      const usage = 'GET /accounts/{account}/keys/{key}/usage'
      const [days, files, list] = await Promise.all([
        call(usage, { ...path, window: '30d' }, signal),
        call(usage, { ...path, face: 'files', from: month, until: now, span: 'day' }, signal),
        call('GET /accounts/{account}/files', { account, limit: 1 }, signal),
      ])
      return useOf(days.report.series, files.report.totals, list.stored.bytes, now)
    },
    [account, key],
  )
  return loaded.value ?? null
}

function useOf(
  series: readonly { readonly start: number; readonly units: number }[],
  files: { readonly bytesIn: number; readonly bytesOut: number },
  stored: number,
  now: number,
): LimitUse {
  const byDay = new Map<number, number>()
  for (const { start, units } of series) {
    const day = Date.parse(new Date(start).toISOString().slice(0, 10))
    byDay.set(day, (byDay.get(day) ?? 0) + units)
  }
  const [most] = [...byDay].toSorted(([, one], [, other]) => other - one)
  const today = Date.parse(new Date(now).toISOString().slice(0, 10))
  return {
    unitsToday: byDay.get(today) ?? 0,
    mostUnits: most === undefined || most[1] === 0 ? null : { day: most[0], units: most[1] },
    uploaded: files.bytesIn,
    downloaded: files.bytesOut,
    stored,
  }
}

/** `value`: units per second; null: no limit. */
export function TypicalCalls({ value }: { readonly value: number | null }) {
  if (value === null || Number.isNaN(value)) {
    return <>Most reads cost {typicalUnits} units.</>
  }
  const calls = value / typicalUnits
  const shown = calls < 10 ? Number(calls.toFixed(1)) : formatShort(Math.floor(calls))
  return <>{`About ${shown} typical calls a second; most reads cost ${typicalUnits} units.`}</>
}

export function UnitsUsed({
  use: { unitsToday, mostUnits },
  limit,
}: {
  readonly use: LimitUse
  readonly limit: number | null
}) {
  const most =
    mostUnits === null
      ? ''
      : ` In the last 30 days, the most was ${formatShort(mostUnits.units)}, on ${formatDay(mostUnits.day)}.`
  return (
    <>
      <Bar used={unitsToday} limit={limit} />
      {`${formatShort(unitsToday)} used today.${most}`}
    </>
  )
}

export function BytesUsed({
  used,
  limit,
  when,
}: {
  readonly used: number
  readonly limit: number | null
  readonly when: 'this month' | 'now'
}) {
  return (
    <>
      <Bar used={used} limit={limit} />
      {`${formatBytes(used)} used ${when}.`}
    </>
  )
}

function Bar({ used, limit }: { readonly used: number; readonly limit: number | null }) {
  if (limit === null || Number.isNaN(limit)) return null
  const part = limit === 0 ? 1 : used / limit
  return <Share part={part} tone={toneOf(part)} />
}
