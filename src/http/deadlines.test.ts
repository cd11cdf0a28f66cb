import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../test/fakes/turned-clock.ts'
import { boundedDeadlines, createDeadlines } from './deadlines.ts'

test('calls once when the time is up, in order, and never before', () => {
  const clock = createTurnedClock()
  const deadlines = createDeadlines(1_000, clock)
  const late: string[] = []
  deadlines.start(() => late.push('first'))
  clock.turn(500)
  deadlines.start(() => late.push('second'))
  clock.turn(499)
  assert.deepEqual(late, [])
  clock.turn(126)
  assert.deepEqual(late, ['first'])
  clock.turn(2_000)
  assert.deepEqual(late, ['first', 'second'])
})

test('a deadline that was stopped is never late', () => {
  const clock = createTurnedClock()
  const deadlines = createDeadlines(1_000, clock)
  const late: string[] = []
  const stopped = deadlines.start(() => late.push('stopped'))
  deadlines.start(() => late.push('kept'))
  stopped.stop()
  clock.turn(5_000)
  assert.deepEqual(late, ['kept'])
})

test('the timer stops when nothing waits, and starts again with the next deadline', () => {
  const clock = createTurnedClock()
  const deadlines = createDeadlines(1_000, clock)
  assert.equal(clock.timers, 0)
  deadlines.start(() => {}).stop()
  assert.equal(clock.timers, 1)
  clock.turn(1_000)
  assert.equal(clock.timers, 0)
  let late = 0
  deadlines.start(() => (late += 1))
  clock.turn(1_250)
  assert.equal(late, 1)
})

test('of more than may run at a time the one that started first is late immediately', () => {
  const clock = createTurnedClock()
  const deadlines = boundedDeadlines(createDeadlines(1_000, clock), 2)
  const late: string[] = []
  const start = (name: string) => deadlines.start(() => late.push(name))
  const first = start('one')
  start('two')
  first.stop()
  start('three')
  assert.deepEqual(late, [])
  start('four')
  assert.deepEqual(late, ['two'])
  clock.turn(2_000)
  assert.deepEqual(late, ['two', 'three', 'four'])
})
