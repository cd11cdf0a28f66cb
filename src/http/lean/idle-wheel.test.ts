import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../../test/fakes/turned-clock.ts'
import { type IdleWheel, createIdleWheel } from './lean-connection.ts'

function idler(wheel: IdleWheel, ms: number, onDue: () => void) {
  const made = { dueTick: wheel.tickAfter(ms), onDue }
  wheel.add(made)
  return made
}

test('an idle entry is reported after its time, never before and at most two periods later', () => {
  const clock = createTurnedClock()
  const wheel = createIdleWheel(100, clock)
  const due: number[] = []
  clock.turn(99)
  idler(wheel, 250, () => due.push(clock.monotonic()))
  clock.turn(250)
  deepEqual(due, [])
  clock.turn(51)
  deepEqual(due, [400])
  wheel.stop()
  equal(clock.timers, 0)
})

test('an entry that is postponed or removed is not reported', () => {
  const clock = createTurnedClock()
  const wheel = createIdleWheel(100, clock)
  const due: string[] = []
  const later = idler(wheel, 100, () => due.push('later'))
  const removed = idler(wheel, 100, () => due.push('gone'))
  clock.turn(100)
  later.dueTick = wheel.tickAfter(1_000)
  wheel.remove(removed)
  clock.turn(1_000)
  deepEqual(due, [])
  clock.turn(100)
  deepEqual(due, ['later'])
})
