// Scales, steps and labels of charts. Pure.
// Tested by dashboard/ui/chart-scale.test.ts

const minuteMs = 60_000
const dayMs = 86_400_000

/** The largest tick: at least `most` and 4, in four equal steps of 1, 2, 2.5 or 5 times a power of ten. */
export function topOf(most: number): number {
  const step = Math.max(4, most) / 4
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= step) ?? 10
  return factor * power * 4
}

/** `12k`, `1.5M`; a fraction below one remains unchanged. */
export function shortCount(value: number): string {
  if (value >= 1_000_000) return `${trimmed(value / 1_000_000)}M`
  return value >= 1_000 ? `${trimmed(value / 1_000)}k` : trimmed(value)
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(value < 10 ? 1 : 0)))
}

/** Number of neighbouring intervals per bar, so that there are at most `most` bars. */
export function groupOf(intervals: number, most: number): number {
  return [1, 2, 3, 4, 6, 8, 12, 24].find((size) => intervals / size <= most) ?? 24
}

/** Time zone of shown times. Days are always UTC days, as usage counts them. */
export type Zone = 'utc' | 'local'

/** The time, or the date at the start of a day and for intervals of a day. */
export function tickOf(time: number, stepMs: number, zone: Zone = 'utc'): string {
  if (stepMs >= dayMs) return dayOf(time)
  const shown = inZone(time, zone)
  if (shown % dayMs === 0 && stepMs > minuteMs) return dayOf(shown)
  return clockOf(shown)
}

/** `23 Nov, 02:00–02:30 UTC`, or `23 Nov` for a day, `23 Nov – 24 Nov` for several. */
export function spanOf(time: number, stepMs: number, zone: Zone = 'utc'): string {
  if (stepMs > dayMs) return `${dayOf(time)} – ${dayOf(time + stepMs - dayMs)}`
  if (stepMs === dayMs) return zone === 'utc' ? dayOf(time) : `${dayOf(time)} (UTC day)`
  const shown = inZone(time, zone)
  const until = inZone(time + stepMs, zone)
  return `${dayOf(shown)}, ${clockOf(shown)}–${clockOf(until)} ${zone === 'utc' ? 'UTC' : 'local time'}`
}

/** The value of a datetime field for a time (`2026-11-23T02:00`). */
export function fieldOf(time: number, zone: Zone): string {
  return new Date(inZone(time, zone)).toISOString().slice(0, 16)
}

/** The time in a field; null: incomplete. */
export function timeIn(field: string, zone: Zone): number | null {
  // Without a zone, the browser parses it as local time.
  const time = Date.parse(zone === 'utc' ? `${field}Z` : field)
  return Number.isNaN(time) ? null : time
}

/** Shifts a time so that its UTC text shows the zone's time. */
function inZone(time: number, zone: Zone): number {
  return zone === 'utc' ? time : time - new Date(time).getTimezoneOffset() * minuteMs
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function dayOf(time: number): string {
  return day.format(time)
}

function clockOf(time: number): string {
  return new Date(time).toISOString().slice(11, 16)
}
