import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { createHistoryBook } from './history-depth.ts'

const head = 1000n

test('data that was not probed is unknown; headers are everywhere', () => {
  const book = createHistoryBook(createManualClock())
  assert.equal(book.can('proof', 1n, head), 'unknown')
  assert.equal(book.can('header', 1n, head), 'yes')
})

test('a window moves with the head, a lowest number does not', () => {
  const book = createHistoryBook(createManualClock())
  book.set({ proof: { age: 127n }, body: { from: 500n }, receipts: 'none', state: 'all' })
  assert.equal(book.can('proof', 873n, head), 'yes')
  assert.equal(book.can('proof', 872n, head), 'no')
  assert.equal(book.can('proof', 873n, head + 1n), 'no')
  assert.equal(book.can('proof', 873n, null), 'unknown')
  assert.equal(book.can('body', 500n, head + 1n), 'yes')
  assert.equal(book.can('body', 499n, head), 'no')
  assert.equal(book.can('receipts', head, head), 'no')
  assert.equal(book.can('code', 0n, head), 'yes')
})

test('a block above the head, or without a number, is unknown', () => {
  const book = createHistoryBook(createManualClock())
  book.set({ proof: { age: 127n }, state: 'all', receipts: 'none' })
  assert.equal(book.can('proof', head + 1n, head), 'unknown')
  assert.equal(book.can('proof', null, head), 'unknown')
  assert.equal(book.can('code', null, head), 'yes')
  assert.equal(book.can('receipts', null, head), 'no')
})

test('a live refusal lowers the depth immediately, for ten minutes or until the next probe', () => {
  const clock = createManualClock()
  const book = createHistoryBook(clock)
  book.set({ proof: 'all', body: 'all' })
  book.lower('proof', 900n, head)
  book.lower('body', 10n, head)
  assert.equal(book.can('proof', 900n, head), 'no')
  assert.equal(book.can('proof', 901n, head), 'yes')
  assert.equal(book.can('body', 11n, head), 'yes')
  assert.equal(book.can('body', 10n, head), 'no')
  book.lower('proof', 100n, head)
  assert.equal(book.can('proof', 900n, head), 'no', 'a deeper refusal says nothing new')
  clock.advance(600_000)
  assert.equal(book.can('proof', 900n, head), 'yes')
  book.lower('proof', 1000n, head)
  assert.deepEqual(book.now().proof, 'none')
  book.set({ proof: { age: 5n } })
  assert.deepEqual(book.now().proof, { age: 5n })
})
