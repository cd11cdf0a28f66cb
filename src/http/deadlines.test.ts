import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { boundedDeadlines, createDeadlines } from './deadlines.ts'

test('calls once when the time is up, in order, and never before', () => {
  const clock = createManualClock()
  const deadlines = createDeadlines(1_000, clock)
  const late: string[] = []
  deadlines.start(() => late.push('first'))
  clock.advance(500)
  deadlines.start(() => late.push('second'))
  clock.advance(499)
  assert.deepEqual(late, [])
  clock.advance(126)
  assert.deepEqual(late, ['first'])
  clock.advance(2_000)
  assert.deepEqual(late, ['first', 'second'])
})

test('a deadline that was stopped is never late', () => {
  const clock = createManualClock()
  const deadlines = createDeadlines(1_000, clock)
  const late: string[] = []
  const stopped = deadlines.start(() => late.push('stopped'))
  deadlines.start(() => late.push('kept'))
  stopped.stop()
  clock.advance(5_000)
  assert.deepEqual(late, ['kept'])
})

test('the timer stops when nothing waits, and starts again with the next deadline', () => {
  const clock = createManualClock()
  const deadlines = createDeadlines(1_000, clock)
  assert.equal(clock.timers, 0)
  deadlines.start(() => {}).stop()
  assert.equal(clock.timers, 1)
  clock.advance(1_000)
  assert.equal(clock.timers, 0)
  let late = 0
  deadlines.start(() => (late += 1))
  clock.advance(1_250)
  assert.equal(late, 1)
})

test('of more than may run at a time the one that started first is late immediately', () => {
  const clock = createManualClock()
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
  clock.advance(2_000)
  assert.deepEqual(late, ['two', 'three', 'four'])
})
