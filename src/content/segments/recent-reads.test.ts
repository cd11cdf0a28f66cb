import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecentReads } from './recent-places.ts'

test('a stretch is known from its second read on, each file for itself', () => {
  const reads = createRecentReads(100, 10)
  assert.equal(reads.note(1, 0), false)
  assert.equal(reads.note(1, 100), false)
  assert.equal(reads.note(2, 0), false)
  assert.equal(reads.note(1, 99), true)
  assert.equal(reads.note(1, 199), true)
})

test('the number of ranges is limited, and the least recently read is dropped', () => {
  const reads = createRecentReads(1, 3)
  for (const at of [1, 2, 3]) reads.note(1, at)
  assert.equal(reads.note(1, 1), true)
  assert.equal(reads.note(1, 4), false)
  assert.equal(reads.note(1, 1), true)
  assert.equal(reads.note(1, 2), false)
})
