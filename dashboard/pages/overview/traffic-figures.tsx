// Calls, errors, latency and storage of the period in one strip.
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatBytes, formatMs, formatNumber, formatShort } from '../../app/format.ts'
import { Figures } from '../../ui/card.tsx'
import { Share, toneOf } from '../../ui/share.tsx'
import { countsOf, percent } from '../../usage/outcome-series.ts'

export type Report = AdminReply<'GET /accounts/{account}/usage'>['report']

const minuteMs = 60_000

/** Of calls per minute. */
function rateOf(perMinute: number): string {
  const [rate, unit] = perMinute >= 1 ? [perMinute, 'a minute'] : [perMinute * 60, 'an hour']
  return `${formatNumber(Number(rate.toFixed(1)))} ${unit}`
}

export function TrafficFigures({
  report,
  storedBytes,
  storedMax,
}: {
  readonly report: Report
  readonly storedBytes: number
  /** Null: no limit. */
  readonly storedMax: number | null
}) {
  const { totals, table, from, until } = report
  const counts = countsOf(table)
  const minutes = Math.max(1, (until - from) / minuteMs)
  const { latency } = totals
  return (
    <Figures
      rows={[
        {
          title: 'Calls',
          value: formatShort(totals.requests),
          about: rateOf(totals.requests / minutes),
        },
        {
          title: 'Failed',
          value: percent(counts.failed, totals.requests),
          about: `${formatNumber(counts.failed)} calls, our side`,
        },
        {
          title: 'Errors of callers',
          value: percent(counts.caller, totals.requests),
          about: `${formatNumber(counts.refused)} calls refused`,
        },
        {
          title: 'Latency, p95',
          value: latency === null ? '–' : formatMs(latency.p95Ms),
          about:
            latency === null
              ? 'no calls'
              : `p50 ${formatMs(latency.p50Ms)} · p99 ${formatMs(latency.p99Ms)}`,
        },
        {
          title: 'Stored',
          value: (
            <>
              {formatBytes(storedBytes)}
              {storedMax !== null && <small> of {formatBytes(storedMax)}</small>}
            </>
          ),
          about:
            storedMax === null ? (
              'no limit'
            ) : (
              <Share
                part={storedMax === 0 ? 1 : storedBytes / storedMax}
                tone={toneOf(storedMax === 0 ? 1 : storedBytes / storedMax)}
              />
            ),
        },
      ]}
    />
  )
}
