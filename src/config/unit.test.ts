import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberIn, unitNameOf } from './unit.ts'

test('the unit of a number is the last word of its name', () => {
  assert.equal(unitNameOf('idleMs'), 'milliseconds')
  assert.equal(unitNameOf('itemsMax'), null)
  assert.equal(unitNameOf('uploadBytesMax'), 'bytes')
  assert.equal(unitNameOf('bytesMax'), 'bytes')
  assert.equal(unitNameOf('filesStoredBytes'), 'bytes')
  assert.equal(unitNameOf('blockSeconds'), 'seconds')
  assert.equal(unitNameOf('keepDays'), 'days')
  assert.equal(unitNameOf('port'), null)
})

test('a value with a unit is converted to the unit of the setting', () => {
  assert.equal(numberIn('unpinnedMs', '24h'), 86_400_000)
  assert.equal(numberIn('idleMs', '1.5 min'), 90_000)
  assert.equal(numberIn('uploadBytesMax', '100MB'), 100_000_000)
  assert.equal(numberIn('uploadBytesMax', '100 MiB'), 104_857_600)
  assert.equal(numberIn('keepDays', '2w'), 14)
  for (const [name, written] of [
    ['idleMs', '100MB'],
    ['keepDays', '1h'],
    ['port', '1h'],
    ['idleMs', 'soon'],
    ['idleMs', '999999999999999d'],
  ] as const) {
    assert.equal(numberIn(name, written), null, `${name}: ${written}`)
  }
})
