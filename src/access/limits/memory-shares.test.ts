import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { testRateShares } from '../../../test/suites/rate-shares.suite.ts'
import { createMemoryShares } from './memory-shares.ts'

testRateShares('memory', () => {
  const clock = createManualClock()
  const shares = createMemoryShares({ clock })
  return { one: shares, other: shares, pass: clock.advance }
})

test('of more buckets than are remembered, the one used longest ago starts even', () => {
  const shares = createMemoryShares({ clock: createManualClock(), bucketsMax: 2 })
  const rate = { perSecond: 0.01, burst: 1 }
  const taken = (bucket: string) => {
    const share = shares.take(bucket, rate, 1, 1)
    assert.ok(!(share instanceof Promise))
    return share.units
  }
  assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(taken), [1, 1, 0, 1, 0, 1])
})

test('a bucket can be set to what is owed elsewhere', () => {
  const shares = createMemoryShares({ clock: createManualClock() })
  const rate = { perSecond: 10, burst: 10 }
  shares.set('a', rate, 500)
  assert.equal(shares.refillMs('a', rate), 500)
  assert.deepEqual(shares.take('a', rate, 1, 100), { units: 5, refillMs: 1000 })
})
