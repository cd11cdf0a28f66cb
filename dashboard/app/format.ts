// Numbers, bytes and times as text. Times are UTC, because usage is counted by UTC day. Pure.

const integer = new Intl.NumberFormat('en')
const rounded = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** `12,345` */
export function formatNumber(value: number): string {
  return integer.format(value)
}

/** `1 block`, `12,345 blocks` */
export function formatCount(count: number, word: string): string {
  return `${formatNumber(count)} ${word}${count === 1 ? '' : 's'}`
}

/** Word after a number of calls. */
export function callWord(count: number): string {
  return count === 1 ? 'call' : 'calls'
}

/** `12.3K` from 10,000 on. */
export function formatShort(value: number): string {
  return Math.abs(value) < 10_000 ? integer.format(value) : rounded.format(value)
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** `1.5 MiB` */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (Math.abs(value) >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024
    unit += 1
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits)} ${byteUnits[unit]}`
}

/** `0.4 ms`, `5.4 ms`, `44 ms`, `2.01 s` */
export function formatMs(ms: number): string {
  if (ms < 10) return `${Number(ms.toPrecision(2))} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  return `${(ms / 1000).toFixed(2)} s`
}

/** `6 s`, `4 min`, `3 h`, `2 d`; whole units. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${formatNumber(Math.floor(seconds / 86_400))} d`
}

/** `2026-03-01 14:05 UTC`; `time`: milliseconds since 1970 UTC. */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** `2026-03-01`, of UTC. */
export function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

const steps: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** `3 hours ago`, `in 2 days`. */
export function formatSince(time: number, now: number): string {
  const seconds = (time - now) / 1000
  const step = steps.find(([length]) => Math.abs(seconds) >= length)
  if (step === undefined)
    return Math.abs(seconds) < 45 ? 'just now' : relative.format(Math.round(seconds / 60), 'minute')
  return relative.format(Math.round(seconds / step[0]), step[1])
}

const shortDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** `now`, `4 min ago`, `2 h ago` within a day, then `21 Nov`, and `21 Nov 2025` of another year; UTC. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ago`
  return formatDay(time, now)
}

/** `21 Nov`, and `21 Nov 2025` of another year; UTC. */
export function formatDay(time: number, now = Date.now()): string {
  const year = new Date(time).getUTCFullYear()
  const day = shortDay.format(time)
  return year === new Date(now).getUTCFullYear() ? day : `${day} ${year}`
}
