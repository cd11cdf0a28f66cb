// Calls, errors, units, transfer and latency of a usage report in one strip, compared with the previous period on request.
// Tested by test/browser/usage.test.ts
import { formatBytes, formatMs, formatNumber, formatShort } from '../app/format.ts'
import { Figures } from '../ui/card.tsx'
import type { Report } from './breakdowns.tsx'
import { changeOf, completeSums } from './compare.ts'
import { countsOf, percent } from './outcome-series.ts'

export function UsageFigures({
  report,
  before,
}: {
  readonly report: Report
  /** The previous period; null: no comparison. */
  readonly before: Report | null
}) {
  const { totals, table } = report
  const { requests, failed, units, bytesIn, bytesOut, latency } = totals
  const now = completeSums(report)
  const was = before === null ? null : before.totals
  const change = (value: number, old: number | undefined, text: (old: number) => string) =>
    old === undefined ? null : `${changeOf(value, old)} · before ${text(old)}`
  return (
    <Figures
      rows={[
        {
          title: 'Calls',
          value: formatShort(requests),
          about:
            change(now.requests, was?.requests, formatShort) ??
            `${formatNumber(requests - failed)} answered`,
        },
        {
          title: 'Errors',
          value: percent(failed, requests),
          about:
            was === null
              ? `${percent(countsOf(table).failed, requests)} failed on our side`
              : `before ${percent(was.failed, was.requests)}`,
        },
        {
          title: 'Units',
          value: formatShort(units),
          about:
            change(now.units, was?.units, formatShort) ??
            `${formatNumber(Math.round(units / Math.max(1, requests)))} per call`,
        },
        {
          title: 'Transfer',
          value: formatBytes(bytesIn + bytesOut),
          about:
            change(
              now.bytesIn + now.bytesOut,
              was === null ? undefined : was.bytesIn + was.bytesOut,
              formatBytes,
            ) ?? `${formatBytes(bytesOut)} out · ${formatBytes(bytesIn)} in`,
        },
        {
          title: 'Latency, p95',
          value: latency === null ? '–' : formatMs(latency.p95Ms),
          about: was === null ? percentiles(latency) : latencyBefore(was.latency),
        },
      ]}
    />
  )
}

function percentiles(latency: Report['totals']['latency']): string {
  if (latency === null) return 'no calls ran'
  return `p50 ${formatMs(latency.p50Ms)} · p99 ${formatMs(latency.p99Ms)}`
}

function latencyBefore(latency: Report['totals']['latency']): string {
  return latency === null ? 'no calls before' : `before ${formatMs(latency.p95Ms)}`
}
