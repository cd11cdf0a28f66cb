// Progress of long work on standard error: a bar on a terminal, else a line for every tenth, and nothing for short work.
import type { Clock } from '../base/clock.ts'
import type { Context } from './context.ts'
import { createPaint } from './terminal-colors.ts'

export type Progress = {
  /** `done` of the total. Cheap enough for a call per item. */
  at(done: number): void
  /** Removes the bar. */
  end(): void
}

const redrawMs = 100
/** Time before the first line in a log. */
const shortMs = 5000
const width = 30

/**
 * `total`: 0 = nothing to do, no bar. `unit`: omitted for a number of items. If SIGINT has no other listener, Ctrl-C removes the
 * bar, prints `interrupted` and ends the process.
 */
export function createProgress(
  context: Context,
  {
    title,
    total,
    clock,
    unit,
    interrupted = 'interrupted',
  }: {
    title: string
    total: number
    clock: Pick<Clock, 'monotonic'>
    unit?: 'bytes'
    interrupted?: string
  },
): Progress {
  const count = unit === 'bytes' ? showBytes : String
  const started = clock.monotonic()
  const onTerminal = context.terminal?.err === true
  let drawn = Number.NEGATIVE_INFINITY
  let tenth = 0

  function draw(done: number, now: number): void {
    if (now - drawn < redrawMs) return
    if (drawn === Number.NEGATIVE_INFINITY && process.listenerCount('SIGINT') === 0) {
      process.once('SIGINT', onSignal)
    }
    drawn = now
    const share = Math.min(1, done / total)
    const full = Math.floor(share * width)
    const bar = '#'.repeat(full).padEnd(width)
    context.err(
      `\r${title} [${bar}] ${Math.floor(share * 100)} % (${count(done)} of ${count(total)})`,
    )
  }

  function onSignal(): void {
    clear()
    context.err(`${createPaint(context, 'err')('red', 'cairn:')} ${interrupted}\n`)
    // Exit by the signal itself, which shells check. No listener remains.
    process.kill(process.pid, 'SIGINT')
  }

  function clear(): void {
    if (onTerminal && drawn !== Number.NEGATIVE_INFINITY) context.err('\r\u001b[K')
    drawn = Number.NEGATIVE_INFINITY
  }

  function report(done: number, now: number): void {
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
      else report(done, now)
    },
    end() {
      clear()
      process.off('SIGINT', onSignal)
    },
  }
}

function showBytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
