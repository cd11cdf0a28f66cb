import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createLatencySketch } from './latency.ts'

test('quantiles are right to a quarter of their value', () => {
  const sketch = createLatencySketch(createManualClock())
  for (let ms = 1; ms <= 1000; ms++) sketch.add(ms)
  for (const [q, exact] of [
    [0.5, 500],
    [0.95, 950],
    [1, 1000],
  ] as const) {
    const found = sketch.quantile(q) ?? 0
    assert.ok(found >= exact && found <= exact * 1.25, `${q}: ${found}`)
  }
})

test('without a call there is no time', () => {
  assert.equal(createLatencySketch(createManualClock()).quantile(0.95), null)
})

test('samples older than two minutes do not count', () => {
  const clock = createManualClock()
  const sketch = createLatencySketch(clock)
  sketch.add(1000)
  clock.advance(60_000)
  sketch.add(10)
  assert.equal(sketch.count, 2)
  clock.advance(60_000)
  assert.equal(sketch.count, 1)
  assert.ok((sketch.quantile(1) ?? 0) < 13)
  clock.advance(120_000)
  assert.equal(sketch.quantile(1), null)
})

test('times out of all bounds are counted at its ends', () => {
  const sketch = createLatencySketch(createManualClock())
  sketch.add(0)
  sketch.add(1e9)
  assert.equal(sketch.count, 2)
  assert.ok((sketch.quantile(1) ?? 0) > 500_000)
})
