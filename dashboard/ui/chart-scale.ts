// Scales, steps and labels of charts. Pure.
// Tested by dashboard/ui/chart-scale.test.ts

const minuteMs = 60_000
const dayMs = 86_400_000

/** The largest tick: at least `most` and 4, and four equal steps of 1, 2, 2.5 or 5 times a power of ten above zero. */
export function topOf(most: number): number {
  const step = Math.max(4, most) / 4
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= step) ?? 10
  return factor * power * 4
}

/** `12k`, `1.5M`; a fraction below one as it is. */
export function shortCount(value: number): string {
  if (value >= 1_000_000) return `${trimmed(value / 1_000_000)}M`
  return value >= 1_000 ? `${trimmed(value / 1_000)}k` : trimmed(value)
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(value < 10 ? 1 : 0)))
}

/** How many neighbouring intervals make one bar, so that there are at most `most`. */
export function groupOf(intervals: number, most: number): number {
  return [1, 2, 3, 4, 6, 8, 12, 24].find((size) => intervals / size <= most) ?? 24
}

/** The time, or the date where the day begins and for intervals of a day; UTC. */
export function tickOf(time: number, stepMs: number): string {
  const date = new Date(time)
  if (stepMs >= dayMs || (time % dayMs === 0 && stepMs > minuteMs)) return dayOf(date)
  return date.toISOString().slice(11, 16)
}

/** `23 Nov, 02:00–02:30 UTC`, or `23 Nov` for a day. */
export function spanOf(time: number, stepMs: number): string {
  const date = new Date(time)
  if (stepMs >= dayMs) return dayOf(date)
  const until = new Date(time + stepMs).toISOString().slice(11, 16)
  return `${dayOf(date)}, ${date.toISOString().slice(11, 16)}–${until} UTC`
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function dayOf(date: Date): string {
  return day.format(date)
}
