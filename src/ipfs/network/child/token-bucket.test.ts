import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { createTokenBucket } from './token-bucket.ts'

test('no more bytes pass than the rate and one message', () => {
  const clock = createManualClock()
  const bucket = createTokenBucket(clock, 1000)
  let passed = 0
  for (let step = 0; step < 1000; step++) {
    if (bucket.waitMs() === 0) {
      bucket.take(700)
      passed += 700
    }
    clock.advance(10)
  }
  ok(passed <= 1000 + 10 * 1000 + 700, `${passed}`)
  ok(passed >= 10 * 1000 - 700, `${passed}`)
})

test('a wait ends when it says, and rate 0 is no limit', () => {
  const clock = createManualClock()
  const bucket = createTokenBucket(clock, 1000)
  bucket.take(3000)
  const waitMs = bucket.waitMs()
  ok(waitMs >= 2000)
  clock.advance(waitMs)
  equal(bucket.waitMs(), 0)
  bucket.setRate(0)
  bucket.take(1e9)
  equal(bucket.waitMs(), 0)
})
