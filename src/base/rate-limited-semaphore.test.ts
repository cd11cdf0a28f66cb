import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createRateLimitedSemaphore } from './rate-limited-semaphore.ts'

const never = new AbortController().signal
const free = { concurrency: 2, perSecond: null, queuedMax: 2 }

test('calls run up to the limit, the others wait in order, and a full queue is reported immediately', async () => {
  const semaphore = createRateLimitedSemaphore(free, createManualClock())
  assert.ok(semaphore.tryAcquire('other'))
  assert.ok(semaphore.tryAcquire('other'))
  assert.ok(!semaphore.tryAcquire('other'))
  const order: string[] = []
  const first = semaphore.acquire('other', never)?.then(() => order.push('first'))
  const second = semaphore.acquire('other', never)?.then(() => order.push('second'))
  assert.equal(semaphore.acquire('other', never), null)
  semaphore.release('other')
  await first
  assert.ok(!semaphore.tryAcquire('other'), 'no call passes the queue')
  semaphore.release('other')
  await second
  assert.deepEqual(order, ['first', 'second'])
  assert.equal(semaphore.active, 2)
})

test('calls of unbounded cost leave a quarter of the places free, and provable ones go first', async () => {
  const semaphore = createRateLimitedSemaphore(
    { concurrency: 8, perSecond: null, queuedMax: 4 },
    createManualClock(),
  )
  let entered = 0
  while (semaphore.tryAcquire('other')) entered++
  assert.equal(entered, 6)
  assert.ok(semaphore.tryAcquire('content') && semaphore.tryAcquire('content'))
  assert.ok(!semaphore.tryAcquire('content'))
  const order: string[] = []
  const other = semaphore.acquire('other', never)?.then(() => order.push('other'))
  const content = semaphore.acquire('content', never)?.then(() => order.push('content'))
  semaphore.release('other')
  await content
  semaphore.release('content')
  await other
  assert.deepEqual(order, ['content', 'other'])
})

test('a single place is open to all calls', () => {
  const semaphore = createRateLimitedSemaphore({ ...free, concurrency: 1 }, createManualClock())
  assert.ok(semaphore.tryAcquire('other'))
})

test('an aborted caller leaves the queue', async () => {
  const semaphore = createRateLimitedSemaphore({ ...free, concurrency: 1 }, createManualClock())
  assert.ok(semaphore.tryAcquire('other'))
  const leaver = new AbortController()
  const left = semaphore.acquire('other', leaver.signal)
  leaver.abort(new Error('gone'))
  await assert.rejects(left ?? assert.fail(), /gone/)
  assert.equal(semaphore.queued, 0)
  await assert.rejects(semaphore.acquire('other', leaver.signal) ?? assert.fail(), /gone/)
})

test('a second admits no more calls than its rate, in a burst or evenly', async () => {
  const clock = createManualClock()
  const semaphore = createRateLimitedSemaphore(
    { concurrency: 100, perSecond: 10, queuedMax: 100 },
    clock,
  )
  let admitted = 0
  while (semaphore.tryAcquire('other')) admitted++
  assert.equal(admitted, 10)
  const waits = Array.from({ length: 20 }, () =>
    (semaphore.acquire('other', never) ?? Promise.reject(new Error('no line'))).then(
      () => admitted++,
    ),
  )
  clock.advance(1000)
  await waits[9]
  assert.equal(admitted, 20)
  clock.advance(1000)
  await Promise.all(waits)
  assert.equal(admitted, 30)
  assert.equal(clock.timers, 0)
})

test('less than one call in a second is possible', () => {
  const clock = createManualClock()
  const semaphore = createRateLimitedSemaphore(
    { concurrency: 9, perSecond: 0.5, queuedMax: 9 },
    clock,
  )
  assert.ok(semaphore.tryAcquire('other'))
  clock.advance(1999)
  assert.ok(!semaphore.tryAcquire('other'))
  clock.advance(1)
  assert.ok(semaphore.tryAcquire('other'))
})
