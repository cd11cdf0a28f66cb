import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { type IdleWheel, createIdleWheel } from './lean-connection.ts'

function idler(wheel: IdleWheel, ms: number, onDue: () => void) {
  const made = { dueTick: wheel.tickAfter(ms), onDue }
  wheel.add(made)
  return made
}

test('an idle entry is reported after its time, never before and at most two periods later', () => {
  const clock = createManualClock()
  const wheel = createIdleWheel(100, clock)
  const due: number[] = []
  clock.advance(99)
  idler(wheel, 250, () => due.push(clock.monotonic()))
  clock.advance(250)
  deepEqual(due, [])
  clock.advance(51)
  deepEqual(due, [400])
  wheel.stop()
  equal(clock.timers, 0)
})

test('an entry that is postponed or removed is not reported', () => {
  const clock = createManualClock()
  const wheel = createIdleWheel(100, clock)
  const due: string[] = []
  const later = idler(wheel, 100, () => due.push('later'))
  const removed = idler(wheel, 100, () => due.push('gone'))
  clock.advance(100)
  later.dueTick = wheel.tickAfter(1_000)
  wheel.remove(removed)
  clock.advance(1_000)
  deepEqual(due, [])
  clock.advance(100)
  deepEqual(due, ['later'])
})
