import assert from 'node:assert/strict'
import test from 'node:test'
import { CallQueue } from './call-queue.ts'

const limits = { queuedPerAccountMax: 3, queuedMax: 5, activePerAccountMax: 1, activeMax: 2 }
const entry = (id: number, accountId: string, keyId = 'key') => ({ id, accountId, keyId })

/** The order in which all calls begin if one is in progress at a time. */
function orderOf(queue: CallQueue<ReturnType<typeof entry>>): readonly number[] {
  const order: number[] = []
  for (let next = queue.begin(); next !== null; next = queue.begin()) {
    order.push(next.id)
    queue.remove(next)
  }
  return order
}

test('accounts begin in turn, however many calls one of them has', () => {
  const queue = new CallQueue({ ...limits, activeMax: 1 })
  for (const it of [entry(1, 'a'), entry(2, 'a'), entry(3, 'a'), entry(4, 'b')]) queue.add(it)
  assert.deepEqual(orderOf(queue), [1, 4, 2, 3])
})

test('many keys of one account get no more turns than one key of another', () => {
  const queue = new CallQueue({ ...limits, queuedPerAccountMax: 9, queuedMax: 20, activeMax: 1 })
  for (let id = 1; id <= 9; id += 1) queue.add(entry(id, 'a', `key ${id}`))
  for (const id of [10, 11]) queue.add(entry(id, 'b'))
  assert.deepEqual(orderOf(queue).slice(0, 5), [1, 10, 2, 11, 3])
})

test('keys of one account begin in turn', () => {
  const queue = new CallQueue({ ...limits, queuedMax: 9, queuedPerAccountMax: 9 })
  for (const id of [1, 2, 3]) queue.add(entry(id, 'a', 'busy'))
  queue.add(entry(4, 'a', 'quiet'))
  assert.deepEqual(orderOf(queue), [1, 4, 2, 3])
})

test('an account with nothing under way goes before accounts that have', () => {
  const queue = new CallQueue({ ...limits, activePerAccountMax: 2, activeMax: 3 })
  for (const it of [entry(1, 'a'), entry(2, 'a'), entry(3, 'b'), entry(4, 'b')]) queue.add(it)
  assert.deepEqual([queue.begin()?.id, queue.begin()?.id, queue.begin()?.id], [1, 3, 2])
  queue.add(entry(5, 'c'))
  queue.remove(entry(2, 'a'))
  assert.equal(queue.begin()?.id, 5)
})

test('calls under way are bounded for each account and in all', () => {
  const queue = new CallQueue(limits)
  for (const it of [entry(1, 'a'), entry(2, 'a', 'other'), entry(3, 'b'), entry(4, 'c')]) {
    queue.add(it)
  }
  assert.deepEqual([queue.begin()?.id, queue.begin()?.id, queue.begin()], [1, 3, null])
  queue.remove(entry(3, 'b'))
  assert.equal(queue.begin()?.id, 4)
})

test('waiting calls are bounded for each account and in all, and a call that leaves makes room', () => {
  const queue = new CallQueue(limits)
  for (const id of [1, 2, 3]) queue.add(entry(id, 'a', `key ${id}`))
  assert.throws(() => queue.add(entry(4, 'a')), { code: 'overloaded' })
  for (const id of [5, 6]) queue.add(entry(id, 'b'))
  assert.throws(() => queue.add(entry(8, 'b')), { code: 'overloaded' })
  queue.remove(entry(2, 'a', 'key 2'))
  queue.add(entry(7, 'c'))
  assert.equal(queue.size, 5)
  assert.equal(queue.clear().length, 5)
  assert.equal(queue.size, 0)
  assert.equal(queue.begin(), null)
})

test('a full queue takes the call of a quiet account and gives up the newest of the busiest', () => {
  const queue = new CallQueue(limits)
  for (const id of [1, 2, 3]) queue.add(entry(id, 'a'))
  for (const id of [4, 5]) queue.add(entry(id, 'b'))
  assert.equal(queue.add(entry(6, 'c'))?.id, 3)
  assert.equal(queue.size, 5)
  // No account has more calls than the new call's account would have.
  assert.throws(() => queue.add(entry(7, 'c')), { code: 'overloaded' })
})
