import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { testSharedCounters } from '../../../test/suites/shared-counters.suite.ts'
import { PeriodCount, type SharedCounters, createMemoryCounters } from './period-count.ts'

testSharedCounters('memory', () => createMemoryCounters(createManualClock()))

function joinedBy(counters: SharedCounters) {
  const clock = createManualClock()
  return { clock, open: () => new PeriodCount(0, 10, { counters, name: 'a', ends: 1e15, clock }) }
}

test('two processes learn of each other ten times a second', async () => {
  const { clock, open } = joinedBy(createMemoryCounters(createManualClock()))
  const [one, other] = [open(), open()]
  one.add(5)
  one.add(5)
  other.add(1)
  assert.deepEqual([one.total, other.total], [20, 11])
  clock.advance(200)
  await setImmediate()
  other.add(0)
  one.add(0)
  clock.advance(200)
  await setImmediate()
  assert.deepEqual([one.total, other.total], [21, 21])
})

test('a decision waits for a recent sum, unless it is one', async () => {
  const { clock, open } = joinedBy(createMemoryCounters(createManualClock()))
  const [one, other] = [open(), open()]
  other.add(85)
  await other.join()
  await one.refresh()
  assert.equal(one.total, 95)
  assert.equal(one.refresh(), undefined)
  clock.advance(200)
  assert.ok(one.refresh() instanceof Promise)
})

test('what could not be sent is sent later, and a lost counter is restored', async () => {
  let isDown = true
  let counters = createMemoryCounters(createManualClock())
  const { clock, open } = joinedBy({
    async add(...args) {
      if (isDown) throw new Error('away')
      return counters.add(...args)
    },
  })
  const count = open()
  count.add(5)
  await count.join()
  assert.equal(count.total, 15)
  isDown = false
  await count.join()
  counters = createMemoryCounters(createManualClock())
  count.add(1)
  clock.advance(200)
  await count.join()
  assert.equal(count.total, 16)
  assert.equal(await counters.add('a', 1e15, 0, 0), 16)
})

test('alone, nothing is sent', () => {
  const count = new PeriodCount(0, 10)
  count.add(5)
  assert.equal(count.total, 15)
  assert.equal(count.refresh(), undefined)
})
