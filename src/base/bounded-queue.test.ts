import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedQueue } from './bounded-queue.ts'

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = []
  for await (const value of values) read.push(value)
  return read
}

const never = new AbortController().signal

test('a reader gets earlier values and those that arrive while it waits, in order', async () => {
  const feed = createBoundedQueue<number>(10, never)
  feed.push(1)
  let left = 0
  const read = all(feed.read(() => left++))
  await new Promise(setImmediate)
  feed.push(2)
  feed.push(3)
  feed.end()
  feed.push(4)
  deepEqual(await read, [1, 2, 3])
  equal(left, 1)
})

test('beyond its bound the oldest go', async () => {
  const feed = createBoundedQueue<number>(2, never)
  for (const value of [1, 2, 3, 4]) feed.push(value)
  feed.end()
  deepEqual(await all(feed.read(() => {})), [3, 4])
})

test('the queue ends when its signal aborts or its reader leaves, and reports it', async () => {
  const controller = new AbortController()
  let left = 0
  const read = all(createBoundedQueue<number>(2, controller.signal).read(() => left++))
  controller.abort()
  deepEqual(await read, [])
  const feed = createBoundedQueue<number>(2, never)
  feed.push(1)
  for await (const value of feed.read(() => left++)) {
    equal(value, 1)
    break
  }
  equal(left, 2)
})
