// Windows and other periods of usage reports, each divided into intervals that are spans of the usage table.
// Tested by src/access/usage/usage-report.test.ts
import { Fault } from '../../base/fault.ts'
import { spans } from '../../tables/usage.ts'
import { dayMs, hourMs, minuteMs } from './usage-row.ts'

export type UsageInterval = keyof typeof spans

/** Start of the span that contains a time. `minutes`: length of the span. */
export function startOf(minutes: number, time: number): number {
  return time - (time % (minutes * minuteMs))
}

/** Number of complete intervals in the window; the current one is added. */
const lengths = {
  '15m': { span: 'minute', intervals: 15 },
  '1h': { span: 'minute', intervals: 60 },
  '24h': { span: 'hour', intervals: 24 },
  '7d': { span: 'hour', intervals: 168 },
  '30d': { span: 'day', intervals: 30 },
} as const satisfies Record<string, { span: UsageInterval; intervals: number }>

export type WindowName = keyof typeof lengths

export const windowNames = Object.keys(lengths) as [WindowName, ...WindowName[]]

/** A named window that ends now, or any times, milliseconds since 1970. `span` absent: chosen by the length. */
export type UsagePeriod =
  | WindowName
  | { readonly from: number; readonly until: number; readonly span?: UsageInterval | undefined }

export type UsageWindow = {
  /** Null: no named window. */
  readonly name: WindowName | null
  readonly span: UsageInterval
  /** Length of an interval in minutes, a span of the usage table. */
  readonly minutes: number
  /** Starts of the intervals, milliseconds since 1970. */
  readonly starts: readonly number[]
  /** End of the last interval; null: it is the current one. */
  readonly until: number | null
}

/** A range of rows of one span. `until`: its end, exclusive; null: now. */
export type Stretch = {
  readonly minutes: number
  readonly from: number
  readonly until: number | null
}

/** Covers the same time with as few rows as possible: uses larger spans where they fit. */
export function stretchesOf({ minutes, starts, until }: UsageWindow): readonly Stretch[] {
  const [from = 0] = starts
  const larger = minutes === spans.minute ? spans.hour : spans.day
  const first = endOf(larger, from)
  const last = until === null ? null : startOf(larger, until)
  const end = last ?? starts.at(-1) ?? 0
  if (minutes === larger || first >= end) return [{ minutes, from, until }]
  return [
    ...(first === from ? [] : [{ minutes, from, until: first }]),
    { minutes: larger, from: first, until: last },
    ...(last === until || last === null ? [] : [{ minutes, from: last, until }]),
  ]
}

/** Maximum number of intervals of one report. */
const intervalsMax = 1500
/** Minutes and hours are deleted a little later: see usage-retention.ts. */
const minutesRetainedMs = dayMs
const hoursRetainedMs = 35 * dayMs
const minutesUpToMs = 3 * hourMs
const hoursUpToMs = 14 * dayMs

/** Throws `bad_input` for a period that is not before now, is empty, or has too many intervals. */
export function windowAt(period: UsagePeriod, now: number): UsageWindow {
  if (typeof period === 'string') {
    const { span, intervals } = lengths[period]
    const minutes = spans[span]
    const from = startOf(minutes, now) - intervals * minutes * minuteMs
    return { name: period, span, minutes, starts: startsOf(minutes, from, now), until: null }
  }
  const { from, until } = period
  if (from >= until) throw badTime('until', 'must be after from')
  if (from > now) throw badTime('from', 'is in the future')
  const span = period.span ?? spanFor(from, Math.min(until, now), now)
  const minutes = spans[span]
  const first = startOf(minutes, from)
  const end = endOf(minutes, until)
  const isRunning = end > startOf(minutes, now)
  const last = isRunning ? now : end - 1
  const intervals = Math.ceil((last + 1 - first) / (minutes * minuteMs))
  if (intervals > intervalsMax) {
    const detail = `${intervals} intervals of one ${span}, at most ${intervalsMax}: choose a shorter time or a longer span`
    throw new Fault('bad_input', { detail, data: { field: 'from' } })
  }
  const starts = startsOf(minutes, first, last)
  return { name: null, span, minutes, starts, until: isRunning ? null : end }
}

function spanFor(from: number, until: number, now: number): UsageInterval {
  if (until - from <= minutesUpToMs && now - from <= minutesRetainedMs) return 'minute'
  return until - from <= hoursUpToMs && now - from <= hoursRetainedMs ? 'hour' : 'day'
}

/** Starts of the intervals from `first`, a start, to the one that contains `last`. */
function startsOf(minutes: number, first: number, last: number): readonly number[] {
  const ms = minutes * minuteMs
  return Array.from({ length: Math.floor((last - first) / ms) + 1 }, (_, at) => first + at * ms)
}

/** The first start of a span at or after `time`. */
function endOf(minutes: number, time: number): number {
  return startOf(minutes, time + minutes * minuteMs - 1)
}

function badTime(field: 'from' | 'until', problem: string): Fault {
  return new Fault('bad_input', { detail: `${field} ${problem}`, data: { field } })
}
