import assert from 'node:assert/strict'
import test from 'node:test'
import { createReadyTransactions } from './transaction-pool.ts'

const hash = (fill: number) => new Uint8Array(32).fill(fill)

test('each reader continues where it stopped, without repetition', () => {
  const arrivals = createReadyTransactions(4)
  assert.deepEqual(arrivals.read(0, 9), [])
  for (const fill of [1, 2, 3]) arrivals.add(hash(fill))
  assert.deepEqual(arrivals.read(0, 2), [hash(1), hash(2)])
  assert.deepEqual(arrivals.read(2, 2), [hash(3)])
  assert.deepEqual(arrivals.read(arrivals.end, 2), [])
})

test('a reader that comes too late gets null', () => {
  const arrivals = createReadyTransactions(2)
  for (const fill of [1, 2, 3]) arrivals.add(hash(fill))
  assert.equal(arrivals.read(0, 9), null)
  assert.deepEqual(arrivals.read(1, 9), [hash(2), hash(3)])
})
