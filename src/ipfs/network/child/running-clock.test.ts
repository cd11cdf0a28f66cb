import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../../base/clock.ts'
import { createRunningClock } from './running-clock.ts'

type Timer = { at: number; readonly periodMs: number | null; readonly run: () => void }

/** `advance`: one turn of the event loop that comes `ms` after the last. Overdue timers run once. */
function started() {
  const timers = new Set<Timer>()
  let elapsed = 0
  const add = (delayMs: number, periodMs: number | null, run: () => void) => {
    const timer = { at: elapsed + delayMs, periodMs, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock: Clock = {
    now: () => elapsed,
    monotonic: () => elapsed,
    after: (delayMs, run) => add(delayMs, null, run),
    every: (periodMs, run) => add(periodMs, periodMs, run),
  }
  function advance(ms: number): void {
    elapsed += ms
    for (const timer of [...timers].filter(({ at }) => at <= elapsed)) {
      if (timer.periodMs === null) timers.delete(timer)
      else timer.at = elapsed + timer.periodMs
      timer.run()
    }
  }
  return {
    clock: createRunningClock(clock),
    turns: (count: number, ms: number) => {
      for (let made = 0; made < count; made += 1) advance(ms)
    },
  }
}

test('while the process runs, it is the time of the system', () => {
  const { clock, turns } = started()
  let runs = 0
  clock.after(3000, () => (runs += 1))
  turns(59, 50)
  equal(runs, 0)
  turns(1, 50)
  equal(runs, 1)
  equal(clock.monotonic(), 3000)
  equal(clock.lostMs, 0)
})

test('the time in which the process is stopped does not count', () => {
  const { clock, turns } = started()
  let runs = 0
  clock.after(3000, () => (runs += 1))
  turns(20, 50)
  turns(1, 60_000)
  equal(runs, 0)
  equal(clock.monotonic(), 1200)
  equal(clock.lostMs, 59_800)
  turns(35, 50)
  equal(runs, 0)
  turns(1, 50)
  equal(runs, 1)
})

test('a process that runs for a part of the time reaches its limits later', () => {
  const { clock, turns } = started()
  let runs = 0
  clock.after(3000, () => (runs += 1))
  turns(14, 1000)
  equal(runs, 0)
  turns(1, 1000)
  equal(runs, 1)
  ok(clock.lostMs >= 11_000)
})

test('a timer that was cancelled does not run, also after a stop', () => {
  const { clock, turns } = started()
  let runs = 0
  const cancel = clock.after(1000, () => (runs += 1))
  turns(1, 5000)
  cancel()
  turns(100, 50)
  equal(runs, 0)
})
