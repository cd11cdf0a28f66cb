import assert from 'node:assert/strict'
import test from 'node:test'
import { CallQueue } from './call-queue.ts'

const limits = { waitingPerKeyMax: 3, waitingMax: 5, begunPerKeyMax: 1, begunMax: 2 }
const entry = (id: number, keyId: string) => ({ id, keyId })

test('keys begin in turn, however many calls one of them has', () => {
  const queue = new CallQueue({ ...limits, begunMax: 1 })
  for (const it of [entry(1, 'a'), entry(2, 'a'), entry(3, 'a'), entry(4, 'b')]) queue.add(it)
  const order: number[] = []
  for (let next = queue.begin(); next !== null; next = queue.begin()) {
    order.push(next.id)
    queue.remove(next)
  }
  assert.deepEqual(order, [1, 4, 2, 3])
})

test('what is under way is bounded for each key and in all', () => {
  const queue = new CallQueue(limits)
  for (const it of [entry(1, 'a'), entry(2, 'a'), entry(3, 'b'), entry(4, 'c')]) queue.add(it)
  assert.deepEqual([queue.begin()?.id, queue.begin()?.id, queue.begin()], [1, 3, null])
  queue.remove(entry(3, 'b'))
  assert.equal(queue.begin()?.id, 4)
})

test('what waits is bounded for each key and in all, and what leaves makes room', () => {
  const queue = new CallQueue(limits)
  for (const id of [1, 2, 3]) queue.add(entry(id, 'a'))
  assert.throws(() => queue.add(entry(4, 'a')), { code: 'overloaded' })
  for (const id of [5, 6]) queue.add(entry(id, 'b'))
  assert.throws(() => queue.add(entry(7, 'c')), { code: 'overloaded' })
  queue.remove(entry(2, 'a'))
  queue.add(entry(7, 'c'))
  assert.equal(queue.size, 5)
  assert.equal(queue.clear().length, 5)
  assert.equal(queue.begin(), null)
})
