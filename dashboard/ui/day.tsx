// A day in a table: short, with the full time in the tooltip.
// Tested by test/browser/frame.test.ts
import { formatDay, formatTime } from '../app/format.ts'

/** `time`: milliseconds since 1970 UTC. */
export function Day({ time }: { readonly time: number }) {
  return <time title={formatTime(time)}>{formatDay(time)}</time>
}
