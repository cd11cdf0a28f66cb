// Durations as people type them: `90s`, `30m`, `24h`, `7d`, or 0; and UTC dates and times.
// Tested by src/cli/duration.test.ts
import { UsageError } from './usage-error.ts'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const longestMs = 366 * unitMs.d

/** Milliseconds; at most 366 days. Throws UsageError that names `flag`. */
export function parseDuration(flag: string, text: string): number {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const length =
    digits === undefined ? Number.NaN : Number(digits) * unitMs[unit as keyof typeof unitMs]
  if (text === '0') return 0
  if (length <= longestMs) return length
  throw new UsageError(`${flag} is "${text}", expected 0 or up to 366 days as in 90s, 30m, 24h, 7d`)
}

const timeRegex = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/

/** Milliseconds since 1970 of a UTC date or time. Throws UsageError that names `flag`. */
export function parseTime(flag: string, text: string): number {
  const time = timeRegex.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new UsageError(
    `${flag} is "${text}", expected a UTC date or time such as 2026-01-31T15:00Z`,
  )
}
