import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createFairTimeSlices } from './fair-time-slices.ts'

const clock = createManualClock()

test('one turn is given in each round of the event loop, and owners take turns', async () => {
  const turns = createFairTimeSlices(clock)
  const order: string[] = []
  const entered = ['a', 'a', 'a', 'b'].map((owner) => {
    const yieldAfter = turns.yielderFor(owner, 1)
    return yieldAfter(1)?.then(() => order.push(owner))
  })
  const rounds: number[] = []
  while (order.length < entered.length) {
    await setImmediate()
    rounds.push(order.length)
  }
  assert.equal(order.join(''), 'abaa')
  for (const [round, done] of rounds.entries()) assert.ok(done <= round + 1, rounds.join())
})

test('work that begins in a short round continues immediately, and later work waits for the next', async () => {
  const turns = createFairTimeSlices(clock)
  assert.equal(turns.enter('a'), null)
  clock.advance(1)
  assert.equal(turns.enter('a'), null)
  clock.advance(1)
  const second = turns.enter('b')
  assert.ok(second instanceof Promise)
  await second
  await setImmediate()
  await setImmediate()
  assert.equal(turns.enter('b'), null)
})

test('a turn ends after its share of work, and not before', async () => {
  const yieldAfter = createFairTimeSlices(clock).yielderFor('a', 10)
  assert.equal(yieldAfter(9), null)
  let others = 0
  globalThis.setImmediate(() => (others += 1))
  await yieldAfter(1)
  assert.equal(others, 1)
  assert.equal(yieldAfter(9), null)
  assert.ok(yieldAfter(100) instanceof Promise)
})
