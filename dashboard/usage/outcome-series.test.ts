import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, percent, provedOf, seriesOf } from './outcome-series.ts'

test('the series has every class and leaves out the incomplete interval', () => {
  const interval = { requests: 0, failed: 0, units: 0, bytesIn: 0, bytesOut: 0, latency: null }
  const series = [1, 2, 3].map((start) => ({ ...interval, start, complete: start < 3 }))
  const parts = [{ name: 'failed', requests: [4, 5, 6], units: [] }]
  assert.deepEqual(seriesOf({ series, split: { by: 'outcome', parts } }), {
    starts: [1, 2],
    counts: { answered: [0, 0], caller: [0, 0], refused: [0, 0], failed: [4, 5] },
  })
})

test('calls are counted by whose matter they are', () => {
  const table = [
    { outcome: 'ok', requests: 5 },
    { outcome: 'reverted', requests: 2 },
    { outcome: 'bad_params', requests: 1 },
    { outcome: 'no_upstream', requests: 1 },
  ]
  assert.deepEqual(countsOf(table), { answered: 5, caller: 3, refused: 0, failed: 1 })
  assert.deepEqual(
    [percent(0, 9), percent(1, 1000), percent(4, 100), percent(1, 2)],
    ['0%', '0.10%', '4.0%', '50%'],
  )
  assert.deepEqual(
    [percent(96, 100), percent(249, 250), percent(99_999, 100_000), percent(7, 7)],
    ['96%', '99.6%', '99.9%', '100%'],
  )
})

test('proved answers are a part of the answers from chain data', () => {
  const verified = [
    { level: 'proof', requests: 7 },
    { level: 'quorum', requests: 2 },
    { level: 'proof', requests: 1 },
  ]
  assert.deepEqual(provedOf(verified), { proof: 8, all: 10 })
  assert.deepEqual(provedOf([]), { proof: 0, all: 0 })
})
