// Calls, errors, the share of proved answers, latency and storage in the period, in one strip.
// Tested by test/browser/overview.test.ts
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatBytes, formatMs, formatNumber, formatShort } from '../../app/format.ts'
import { Figures } from '../../ui/card.tsx'
import { Share, toneOf } from '../../ui/share.tsx'
import { countsOf, percent, provedOf } from '../../usage/outcome-series.ts'

export type Report = AdminReply<'GET /accounts/{account}/usage'>['report']

const minuteMs = 60_000

/** Text for a rate of calls per minute. */
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
  const { totals, table, verified, from, until, window } = report
  const usage = `/usage?window=${window ?? '24h'}`
  const counts = countsOf(table)
  const proved = provedOf(verified)
  const minutes = Math.max(1, (until - from) / minuteMs)
  const { latency } = totals
  return (
    <Figures
      rows={[
        {
          title: 'Calls',
          to: usage,
          value: formatShort(totals.requests),
          about: rateOf(totals.requests / minutes),
        },
        {
          title: 'Failed',
          to: usage,
          value: percent(counts.failed, totals.requests),
          about: `our side · callers ${percent(counts.caller, totals.requests)} · refused ${percent(counts.refused, totals.requests)}`,
        },
        {
          title: 'Answered with proof',
          to: usage,
          value: proved.all === 0 ? '–' : percent(proved.proof, proved.all),
          about:
            proved.all === 0
              ? 'no answers from chain data'
              : `of ${formatNumber(proved.all)} answers from chain data`,
        },
        {
          title: 'Latency, p95',
          to: usage,
          value: latency === null ? '–' : formatMs(latency.p95Ms),
          about:
            latency === null
              ? 'no calls'
              : `p50 ${formatMs(latency.p50Ms)} · p99 ${formatMs(latency.p99Ms)}`,
        },
        {
          title: 'Stored',
          to: '/files',
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
