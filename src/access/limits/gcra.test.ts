import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Rate, returnUnits, takeUnits } from './rate-limit.ts'

/** Number of single units that pass with `times` requests at each of `instants`. */
function passed(rate: Rate, instants: readonly number[], times: number): number[] {
  let evenAt = 0
  return instants.map((now) => {
    let count = 0
    for (let n = 0; n < times; n++) {
      const verdict = takeUnits(evenAt, now, 1, rate)
      if (!verdict.ok) break
      evenAt = verdict.evenAt
      count++
    }
    return count
  })
}

test('the burst passes immediately, then exactly the rate, to the unit', () => {
  const rate = { perSecond: 3, burst: 10 }
  assert.deepEqual(passed(rate, [50, 51, 1050, 2050, 2383.4, 60_000], 100), [10, 0, 3, 3, 1, 10])
  for (const perSecond of [1, 7, 500, 40_000]) {
    const seconds = Array.from({ length: 50 }, (_, n) => 12_345.678 + n * 1000)
    const counts = passed({ perSecond, burst: perSecond }, seconds, perSecond + 1)
    const total = counts.reduce((sum, count) => sum + count, 0)
    assert.ok(Math.abs(total - 50 * perSecond) <= 1, `${total} of ${50 * perSecond}`)
  }
})

test('a refusal contains the wait: then the request passes, and a moment earlier it does not', () => {
  const rate = { perSecond: 500, burst: 8001 }
  const first = takeUnits(0, 1000, 8001, rate)
  assert.ok(first.ok)
  const refused = takeUnits(first.evenAt, 1000, 80, rate)
  assert.ok(!refused.ok)
  assert.ok(Math.abs(refused.waitMs - 160) < 1e-6)
  assert.ok(refused.currentPerSecond > 500)
  assert.ok(takeUnits(first.evenAt, 1160, 80, rate).ok)
  assert.ok(!takeUnits(first.evenAt, 1159.9, 80, rate).ok)
})

test('a refusal charges no units, and a refund restores the exact state', () => {
  const rate = { perSecond: 10, burst: 10 }
  const result = takeUnits(0, 100, 10, rate)
  assert.ok(result.ok)
  assert.ok(!takeUnits(result.evenAt, 100, 1, rate).ok)
  const evenAt = returnUnits(result.evenAt, 4, rate)
  assert.ok(takeUnits(evenAt, 100, 4, rate).ok)
  assert.ok(!takeUnits(evenAt, 100, 5, rate).ok)
})
