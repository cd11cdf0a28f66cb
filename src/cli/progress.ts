// How far long work has come, on standard error: a bar on a terminal, elsewhere a line for every tenth, and
// nothing at all when the work is short.
import type { Clock } from '../base/clock.ts'
import type { Context } from './context.ts'

export type Progress = {
  /** `done` of the total. Cheap enough to be called for each item. */
  at(done: number): void
  /** Takes the bar away. */
  end(): void
}

const redrawMs = 100
/** Lines for a log begin only when the work has taken this long. */
const shortMs = 5000
const width = 30

/** `total`: 0 = nothing to do, no bar. `unit`: what is counted, when it is no number of things. */
export function createProgress(
  context: Context,
  {
    title,
    total,
    clock,
    unit,
  }: { title: string; total: number; clock: Pick<Clock, 'monotonic'>; unit?: 'bytes' },
): Progress {
  const count = unit === 'bytes' ? showBytes : String
  const started = clock.monotonic()
  const onTerminal = context.terminal?.err === true
  let drawn = Number.NEGATIVE_INFINITY
  let tenth = 0

  function draw(done: number, now: number): void {
    if (now - drawn < redrawMs) return
    drawn = now
    const share = Math.min(1, done / total)
    const full = Math.floor(share * width)
    const bar = '#'.repeat(full).padEnd(width)
    context.err(
      `\r${title} [${bar}] ${Math.floor(share * 100)} % (${count(done)} of ${count(total)})`,
    )
  }

  function tell(done: number, now: number): void {
    const reached = Math.floor((done / total) * 10)
    if (reached <= tenth || now - started < shortMs) return
    tenth = reached
    context.err(`${title}: ${reached * 10} % (${count(done)} of ${count(total)})\n`)
  }

  return {
    at(done) {
      if (total === 0) return
      const now = clock.monotonic()
      if (onTerminal) draw(done, now)
      else tell(done, now)
    },
    end() {
      if (onTerminal && drawn !== Number.NEGATIVE_INFINITY) context.err('\r\u001b[K')
      drawn = Number.NEGATIVE_INFINITY
    },
  }
}

function showBytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
