import assert from 'node:assert/strict'
import { test } from 'node:test'
import { item } from '../../test/suites/block-store.suite.ts'
import { createUnrequestedItems } from './local-copies.ts'

test('an extra can be taken once, under its own name only', () => {
  const unrequested = createUnrequestedItems({ itemsMax: 10, bytesMax: 1000 })
  unrequested.add('one', [item('a')])
  assert.equal(unrequested.take(item('b').ref), null)
  assert.deepEqual(unrequested.take(item('a').ref), {
    ...item('a'),
    source: 'one',
    proved: false,
  })
  assert.equal(unrequested.take(item('a').ref), null)
})

test('beyond their number the oldest leave', () => {
  const unrequested = createUnrequestedItems({ itemsMax: 2, bytesMax: 1000 })
  for (const name of ['a', 'b', 'c']) unrequested.add('one', [item(name)])
  assert.equal(unrequested.take(item('a').ref), null)
  assert.notEqual(unrequested.take(item('b').ref), null)
  assert.notEqual(unrequested.take(item('c').ref), null)
})

test('beyond the byte limit the oldest items are dropped, and an item larger than the limit is not added', () => {
  const unrequested = createUnrequestedItems({ itemsMax: 10, bytesMax: 10 })
  unrequested.add('one', [item('123456'), item('abcdef'), item('too large to enter')])
  assert.equal(unrequested.take(item('123456').ref), null)
  assert.notEqual(unrequested.take(item('abcdef').ref), null)
  assert.equal(unrequested.take(item('too large to enter').ref), null)
  unrequested.add('one', [item('1'), item('2')])
  assert.notEqual(unrequested.take(item('1').ref), null)
})

test('the item of a later source replaces an earlier one', () => {
  const unrequested = createUnrequestedItems({ itemsMax: 10, bytesMax: 1000 })
  unrequested.add('faulty', [{ ref: item('a').ref, bytes: new Uint8Array(3) }])
  unrequested.add('honest', [item('a')])
  assert.equal(unrequested.take(item('a').ref)?.source, 'honest')
})
