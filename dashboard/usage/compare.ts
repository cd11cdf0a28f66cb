// Compares a usage report with the previous period: the same number of complete intervals. Excludes the current interval, because a
// part of an hour cannot be compared with an hour. Pure.
// Tested by dashboard/usage/compare.test.ts
import type { AdminReply } from '../../src/admin/client.ts'

type Report = AdminReply<'GET /accounts/{account}/usage'>['report']
type Sums = Pick<Report['totals'], 'requests' | 'failed' | 'units' | 'bytesIn' | 'bytesOut'>

/** The period before a report; null: the report has no complete interval. */
export function periodBefore({ from, span, series }: Pick<Report, 'from' | 'span' | 'series'>): {
  readonly from: number
  readonly until: number
  readonly span: Report['span']
} | null {
  const completeSlots = series.filter(({ complete }) => complete)
  const until = completeSlots.at(-1)?.start
  if (until === undefined) return null
  const ms = until + spanMs[span] - from
  return { from: from - ms, until: from, span }
}

const spanMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** Sums of the complete intervals. */
export function completeSums({ series }: Pick<Report, 'series'>): Sums {
  const sums = { requests: 0, failed: 0, units: 0, bytesIn: 0, bytesOut: 0 }
  for (const one of series.filter(({ complete }) => complete)) {
    sums.requests += one.requests
    sums.failed += one.failed
    sums.units += one.units
    sums.bytesIn += one.bytesIn
    sums.bytesOut += one.bytesOut
  }
  return sums
}

/** `▲ 8.0%`, `▼ 50%`, `same`; `new` if the previous value is zero. */
export function changeOf(now: number, before: number): string {
  if (now === before) return 'same'
  if (before === 0) return 'new'
  const share = (Math.abs(now - before) / before) * 100
  const text = share >= 1000 ? '>999' : share >= 10 ? share.toFixed(0) : share.toFixed(1)
  return `${now > before ? '▲' : '▼'} ${text}%`
}
