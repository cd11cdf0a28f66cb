import assert from 'node:assert/strict'
import { test } from 'node:test'
import { item } from '../../test/suites/store.suite.ts'
import { createExtras } from './extras.ts'

test('an extra can be taken once, under its own name only', () => {
  const extras = createExtras({ itemsMax: 10, bytesMax: 1000 })
  extras.add('one', [item('a')])
  assert.equal(extras.take(item('b').ref), null)
  assert.deepEqual(extras.take(item('a').ref), {
    ...item('a'),
    source: 'one',
    proved: false,
  })
  assert.equal(extras.take(item('a').ref), null)
})

test('beyond their number the oldest leave', () => {
  const extras = createExtras({ itemsMax: 2, bytesMax: 1000 })
  for (const name of ['a', 'b', 'c']) extras.add('one', [item(name)])
  assert.equal(extras.take(item('a').ref), null)
  assert.notEqual(extras.take(item('b').ref), null)
  assert.notEqual(extras.take(item('c').ref), null)
})

test('beyond their bytes the oldest leave, and what is larger than all room never enters', () => {
  const extras = createExtras({ itemsMax: 10, bytesMax: 10 })
  extras.add('one', [item('123456'), item('abcdef'), item('too large to enter')])
  assert.equal(extras.take(item('123456').ref), null)
  assert.notEqual(extras.take(item('abcdef').ref), null)
  assert.equal(extras.take(item('too large to enter').ref), null)
  extras.add('one', [item('1'), item('2')])
  assert.notEqual(extras.take(item('1').ref), null)
})

test('a later source replaces what an earlier one said', () => {
  const extras = createExtras({ itemsMax: 10, bytesMax: 1000 })
  extras.add('liar', [{ ref: item('a').ref, bytes: new Uint8Array(3) }])
  extras.add('honest', [item('a')])
  assert.equal(extras.take(item('a').ref)?.source, 'honest')
})
