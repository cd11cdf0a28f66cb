import assert from 'node:assert/strict'
import test from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createProofRate } from './proof-rate.ts'

const limits = { perSecond: 100, burst: 400 }
const { signal } = new AbortController()

test('a burst is free, and what exceeds it waits for the rate', async () => {
  const clock = createManualClock()
  const rate = createProofRate(clock, limits)
  assert.equal(rate.acquire('a', 400, signal), null)
  let isDone = false
  const waits = rate.acquire('a', 50, signal)?.then(() => (isDone = true))
  clock.advance(499)
  await Promise.resolve()
  assert.equal(isDone, false)
  clock.advance(1)
  await waits
  assert.equal(isDone, true)
})

test('accounts have rates of their own', () => {
  const rate = createProofRate(createManualClock(), limits)
  assert.notEqual(rate.acquire('a', 401, signal), null)
  assert.equal(rate.acquire('b', 400, signal), null)
})

test('what is taken while others wait comes after them', () => {
  const clock = createManualClock()
  const rate = createProofRate(clock, limits)
  const order: string[] = []
  void rate.acquire('a', 500, signal)?.then(() => order.push('first'))
  void rate.acquire('a', 1, signal)?.then(() => order.push('second'))
  clock.advance(1_000)
  clock.advance(10)
  return Promise.resolve().then(() => assert.deepEqual(order, ['first', 'second']))
})

test('a call that is given up waits no longer, and takes nothing', async () => {
  const clock = createManualClock()
  const rate = createProofRate(clock, limits)
  assert.equal(rate.acquire('a', 400, signal), null)
  const controller = new AbortController()
  const waits = rate.acquire('a', 10_000, controller.signal)
  controller.abort(new Error('given up'))
  await assert.rejects(async () => await waits, /given up/)
  assert.equal(clock.timers, 0)
  clock.advance(1_000)
  assert.equal(rate.acquire('a', 100, signal), null)
})

test('an idle minute allows no more than the burst', () => {
  const clock = createManualClock()
  const rate = createProofRate(clock, limits)
  clock.advance(60_000)
  assert.equal(rate.acquire('a', 400, signal), null)
  assert.notEqual(rate.acquire('a', 1, signal), null)
})
