// Series and sums of a usage report by who is responsible for the outcomes, and by verification level. Pure.
// Tested by dashboard/usage/outcome-series.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { type OutcomeClass, outcomeClasses, outcomeClassOf } from '../../src/base/outcome-class.ts'
import type { OutcomeSeries } from '../ui/outcome-chart.tsx'

type Report = AdminReply<'GET /accounts/{account}/usage'>['report']

/** Series of a report that was requested by outcome, and of the previous period. Excludes an incomplete interval. */
export function seriesOf(
  { series, split }: Pick<Report, 'series' | 'split'>,
  before: Pick<Report, 'series'> | null = null,
): OutcomeSeries {
  const complete = series.filter((one) => one.complete)
  const of = (name: OutcomeClass): readonly number[] =>
    split?.parts.find((part) => part.name === name)?.requests.slice(0, complete.length) ??
    complete.map(() => 0)
  return {
    starts: complete.map(({ start }) => start),
    counts: {
      answered: of('answered'),
      caller: of('caller'),
      refused: of('refused'),
      failed: of('failed'),
    },
    ...(before === null ? {} : { before: before.series.map(({ requests }) => requests) }),
  }
}

export function countsOf(
  table: readonly { readonly outcome: string; readonly requests: number }[],
): Readonly<Record<OutcomeClass, number>> {
  const sums = Object.fromEntries(outcomeClasses.map((name) => [name, 0])) as Record<
    OutcomeClass,
    number
  >
  for (const { outcome, requests } of table) sums[outcomeClassOf(outcome)] += requests
  return sums
}

/** Number of answers from chain data: with a proof, and in total. */
export function provedOf(
  verified: readonly { readonly level: string; readonly requests: number }[],
): { readonly proof: number; readonly all: number } {
  const sum = (rows: typeof verified): number =>
    rows.reduce((all, { requests }) => all + requests, 0)
  return { proof: sum(verified.filter(({ level }) => level === 'proof')), all: sum(verified) }
}

/** Text of a share: `0%`, `<0.01%`, `0.45%`, `12%`, `99.6%`. Only the whole is `100%`. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0%'
  const share = (part / whole) * 100
  if (share < 0.01) return '<0.01%'
  // Round down, so that only the whole is 100 %.
  if (share > 99 && part < whole) return `${(Math.floor((part * 1000) / whole) / 10).toFixed(1)}%`
  return `${share >= 10 ? share.toFixed(0) : share >= 1 ? share.toFixed(1) : share.toFixed(2)}%`
}
