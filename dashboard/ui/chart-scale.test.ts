import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupOf, shortCount, spanOf, tickOf, topOf } from './chart-scale.ts'

test('the axis ends above the largest value at four round steps', () => {
  for (const [most, top] of [
    [0, 4],
    [3, 4],
    [13_400, 20_000],
    [8, 8],
    [101, 200],
  ] as const) {
    assert.equal(topOf(most), top)
  }
})

test('labels are short, and dates stand where the day changes', () => {
  assert.deepEqual([0, 4, 1_500, 12_000, 2_500_000].map(shortCount), [
    '0',
    '4',
    '1.5k',
    '12k',
    '2.5M',
  ])
  const midnight = Date.UTC(2026, 10, 23)
  assert.equal(tickOf(midnight, 3_600_000), '23 Nov')
  assert.equal(tickOf(midnight + 7_200_000, 3_600_000), '02:00')
  assert.equal(tickOf(midnight, 86_400_000), '23 Nov')
  assert.equal(spanOf(midnight + 7_200_000, 1_800_000), '23 Nov, 02:00–02:30 UTC')
})

test('a chart has at most the bars that fit', () => {
  assert.equal(groupOf(168, 60), 3)
  assert.equal(groupOf(24, 60), 1)
  assert.equal(groupOf(60, 24), 3)
})
