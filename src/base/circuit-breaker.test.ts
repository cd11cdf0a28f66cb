import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts'

function times(n: number, run: () => void): void {
  for (let i = 0; i < n; i++) run()
}

function opened(clock = createManualClock()): { clock: typeof clock; breaker: CircuitBreaker } {
  const breaker = createCircuitBreaker(clock)
  times(20, () => breaker.fail())
  return { clock, breaker }
}

test('it opens at half of twenty calls failed within thirty seconds', () => {
  const breaker = createCircuitBreaker(createManualClock())
  times(10, () => breaker.succeed())
  times(9, () => breaker.fail())
  assert.equal(breaker.state, 'closed')
  assert.ok(Math.abs(breaker.successRate - 10 / 19) < 0.001)
  breaker.fail()
  assert.equal(breaker.state, 'open')
  assert.ok(!breaker.mayPass())
})

test('fewer calls, or failures of long ago, do not open it', () => {
  const clock = createManualClock()
  const breaker = createCircuitBreaker(clock)
  times(19, () => breaker.fail())
  assert.ok(breaker.mayPass())
  clock.advance(30_000)
  breaker.fail()
  assert.ok(breaker.mayPass())
  assert.equal(breaker.successRate, 0)
})

test('after thirty seconds one call may try: well, and it closes', () => {
  const { clock, breaker } = opened()
  clock.advance(29_999)
  assert.ok(!breaker.mayPass())
  clock.advance(1)
  assert.equal(breaker.state, 'half-open')
  breaker.pass()
  assert.ok(!breaker.mayPass(), 'only one')
  breaker.succeed()
  assert.equal(breaker.state, 'closed')
  assert.equal(breaker.successRate, 1)
})

test('the trying call fails, and it is open for as long again', () => {
  const { clock, breaker } = opened()
  clock.advance(30_000)
  breaker.pass()
  breaker.fail()
  assert.equal(breaker.state, 'open')
  clock.advance(29_999)
  assert.ok(!breaker.mayPass())
  clock.advance(1)
  assert.ok(breaker.mayPass())
})

test('a trying call that was given up leaves its place to the next', () => {
  const { clock, breaker } = opened()
  clock.advance(30_000)
  breaker.pass()
  breaker.forget()
  assert.ok(breaker.mayPass())
})

test('an upstream that requests a pause gets it immediately, and a shorter request does not shorten it', () => {
  const clock = createManualClock()
  const breaker = createCircuitBreaker(clock)
  breaker.pause(60_000)
  breaker.pause(1_000)
  clock.advance(59_999)
  assert.equal(breaker.state, 'open')
  clock.advance(1)
  assert.equal(breaker.state, 'half-open')
})

test('an answer that comes while it is open does not close it', () => {
  const { breaker } = opened()
  breaker.succeed()
  assert.equal(breaker.state, 'open')
})

test('woken early, the breaker allows one call; a pause requested by the upstream is not interrupted', () => {
  const { clock, breaker } = opened()
  breaker.wake()
  assert.equal(breaker.state, 'half-open')
  breaker.pass()
  breaker.wake()
  assert.ok(!breaker.mayPass(), 'still only one')
  breaker.fail()
  assert.equal(breaker.state, 'open')
  breaker.pause(5_000)
  breaker.wake()
  clock.advance(4_999)
  assert.equal(breaker.state, 'open')
  clock.advance(1)
  assert.equal(breaker.state, 'half-open')
})
