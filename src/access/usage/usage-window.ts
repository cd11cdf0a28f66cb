// Windows of usage reports, each divided into intervals that are spans of the table.
// Tested by src/access/usage/usage-report.test.ts
import { spans } from '../../tables/usage.ts'
import { minuteMs } from './usage-row.ts'

export type UsageInterval = keyof typeof spans

/** Start of the span that contains a time. `minutes`: length of the span. */
export function startOf(minutes: number, time: number): number {
  return time - (time % (minutes * minuteMs))
}

/** Number of whole intervals in the window; the running one is added. */
const lengths = {
  '15m': { span: 'minute', intervals: 15 },
  '1h': { span: 'minute', intervals: 60 },
  '24h': { span: 'hour', intervals: 24 },
  '7d': { span: 'hour', intervals: 168 },
  '30d': { span: 'day', intervals: 30 },
} as const satisfies Record<string, { span: UsageInterval; intervals: number }>

export type WindowName = keyof typeof lengths

export const windowNames = Object.keys(lengths) as [WindowName, ...WindowName[]]

export type UsageWindow = {
  readonly name: WindowName
  readonly span: UsageInterval
  /** Of the span, in minutes, as in the table. */
  readonly minutes: number
  /** Starts of its intervals, the running one last, milliseconds since 1970. */
  readonly starts: readonly number[]
}

/** A stretch of rows of one span. `until`: where it ends, exclusive; null: now. */
export type Stretch = {
  readonly minutes: number
  readonly from: number
  readonly until: number | null
}

/** Covers the same time with as few rows as possible: whole larger spans inside it. */
export function stretchesOf({ minutes, starts }: UsageWindow): readonly Stretch[] {
  const [from = 0] = starts
  const larger = minutes === spans.minute ? spans.hour : spans.day
  const until = startOf(larger, from + larger * minuteMs - 1)
  if (minutes === larger || until >= (starts.at(-1) ?? 0)) return [{ minutes, from, until: null }]
  const first = until === from ? [] : [{ minutes, from, until }]
  return [...first, { minutes: larger, from: until, until: null }]
}

/** The window that ends now. */
export function windowAt(name: WindowName, now: number): UsageWindow {
  const { span, intervals } = lengths[name]
  const minutes = spans[span]
  const running = startOf(minutes, now)
  const starts = Array.from(
    { length: intervals + 1 },
    (_, at) => running - (intervals - at) * minutes * minuteMs,
  )
  return { name, span, minutes, starts }
}
