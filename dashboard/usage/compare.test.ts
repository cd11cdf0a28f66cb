import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, periodBefore, completeSums } from './compare.ts'

const hourMs = 3_600_000
const none = { requests: 1, failed: 0, units: 10, bytesIn: 2, bytesOut: 3, latency: null }

test('the period before has the whole intervals of the report, and ends where it begins', () => {
  const from = 100 * hourMs
  const series = [0, 1, 2].map((at) => ({ ...none, start: from + at * hourMs, complete: at < 2 }))
  assert.deepEqual(periodBefore({ from, span: 'hour', series }), {
    from: 98 * hourMs,
    until: from,
    span: 'hour',
  })
  const sums = { requests: 2, failed: 0, units: 20, bytesIn: 4, bytesOut: 6 }
  assert.deepEqual(completeSums({ series }), sums)
  assert.equal(periodBefore({ from, span: 'hour', series: series.slice(2) }), null)
})

test('a change is a share of the value before', () => {
  assert.deepEqual(
    [changeOf(108, 100), changeOf(50, 100), changeOf(3, 3), changeOf(3, 0), changeOf(99_999, 1)],
    ['▲ 8.0%', '▼ 50%', 'same', 'new', '▲ >999%'],
  )
})
