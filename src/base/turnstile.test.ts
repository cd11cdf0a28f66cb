import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../test/fakes/turned-clock.ts'
import { createTurnstile } from './turnstile.ts'

const never = new AbortController().signal
const free = { concurrency: 2, perSecond: null, waitingMax: 2 }

test('so many at once; the others wait in order; a line too long is said at once', async () => {
  const turnstile = createTurnstile(free, createTurnedClock())
  assert.ok(turnstile.tryEnter('other'))
  assert.ok(turnstile.tryEnter('other'))
  assert.ok(!turnstile.tryEnter('other'))
  const order: string[] = []
  const first = turnstile.enter('other', never)?.then(() => order.push('first'))
  const second = turnstile.enter('other', never)?.then(() => order.push('second'))
  assert.equal(turnstile.enter('other', never), null)
  turnstile.leave('other')
  await first
  assert.ok(!turnstile.tryEnter('other'), 'nobody passes the line')
  turnstile.leave('other')
  await second
  assert.deepEqual(order, ['first', 'second'])
  assert.equal(turnstile.entered, 2)
})

test('what callers wrote leaves a quarter of the places free, and what is proved goes first', async () => {
  const turnstile = createTurnstile(
    { concurrency: 8, perSecond: null, waitingMax: 4 },
    createTurnedClock(),
  )
  let entered = 0
  while (turnstile.tryEnter('other')) entered++
  assert.equal(entered, 6)
  assert.ok(turnstile.tryEnter('content') && turnstile.tryEnter('content'))
  assert.ok(!turnstile.tryEnter('content'))
  const order: string[] = []
  const other = turnstile.enter('other', never)?.then(() => order.push('other'))
  const content = turnstile.enter('content', never)?.then(() => order.push('content'))
  turnstile.leave('other')
  await content
  turnstile.leave('content')
  await other
  assert.deepEqual(order, ['content', 'other'])
})

test('one place alone is everybody’s', () => {
  const turnstile = createTurnstile({ ...free, concurrency: 1 }, createTurnedClock())
  assert.ok(turnstile.tryEnter('other'))
})

test('who hangs up leaves the line', async () => {
  const turnstile = createTurnstile({ ...free, concurrency: 1 }, createTurnedClock())
  assert.ok(turnstile.tryEnter('other'))
  const leaver = new AbortController()
  const left = turnstile.enter('other', leaver.signal)
  leaver.abort(new Error('gone'))
  await assert.rejects(left ?? assert.fail(), /gone/)
  assert.equal(turnstile.waiting, 0)
  await assert.rejects(turnstile.enter('other', leaver.signal) ?? assert.fail(), /gone/)
})

test('a second holds no more calls than its rate, in a burst or evenly', async () => {
  const clock = createTurnedClock()
  const turnstile = createTurnstile({ concurrency: 100, perSecond: 10, waitingMax: 100 }, clock)
  let admitted = 0
  while (turnstile.tryEnter('other')) admitted++
  assert.equal(admitted, 10)
  const waits = Array.from({ length: 20 }, () =>
    (turnstile.enter('other', never) ?? Promise.reject(new Error('no line'))).then(
      () => admitted++,
    ),
  )
  clock.turn(1000)
  await waits[9]
  assert.equal(admitted, 20)
  clock.turn(1000)
  await Promise.all(waits)
  assert.equal(admitted, 30)
  assert.equal(clock.timers, 0)
})

test('less than one call in a second is possible', () => {
  const clock = createTurnedClock()
  const turnstile = createTurnstile({ concurrency: 9, perSecond: 0.5, waitingMax: 9 }, clock)
  assert.ok(turnstile.tryEnter('other'))
  clock.turn(1999)
  assert.ok(!turnstile.tryEnter('other'))
  clock.turn(1)
  assert.ok(turnstile.tryEnter('other'))
})
