import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, groupOf, shortCount, spanOf, tickOf, timeIn, topOf } from './chart-scale.ts'

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
  assert.equal(spanOf(midnight, 2 * 86_400_000), '23 Nov – 24 Nov')
})

test('a chart has at most the bars that fit', () => {
  assert.equal(groupOf(168, 60), 3)
  assert.equal(groupOf(24, 60), 1)
  assert.equal(groupOf(60, 24), 3)
})

test('times are shown and read in the chosen zone, days are UTC days in both', () => {
  const zone = process.env['TZ']
  process.env['TZ'] = 'Asia/Kolkata'
  try {
    const time = Date.UTC(2026, 10, 23, 18, 30)
    assert.equal(tickOf(time, 3_600_000, 'local'), '24 Nov')
    assert.equal(tickOf(time, 3_600_000), '18:30')
    assert.equal(spanOf(time, 1_800_000, 'local'), '24 Nov, 00:00–00:30 local time')
    assert.equal(spanOf(Date.UTC(2026, 10, 23), 86_400_000, 'local'), '23 Nov (UTC day)')
    for (const one of ['utc', 'local'] as const) {
      assert.equal(timeIn(fieldOf(time, one), one), time)
      assert.equal(timeIn('', one), null)
    }
    assert.equal(fieldOf(time, 'local'), '2026-11-24T00:00')
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})
