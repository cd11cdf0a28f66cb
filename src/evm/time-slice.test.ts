import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { MustMove, TimeSlices } from './time-slice.ts'
import type { MoveLimits, TimeSlice } from './time-slice.ts'

const limits = { sliceMs: 20, runMs: 100, spanMs: 300, stepMs: 50 }
const { signal } = new AbortController()

function setUp(span = limits.spanMs, moves: MoveLimits | null = null) {
  const clock = createManualClock()
  const order: string[] = []
  /** Runs steps of 10 ms. */
  const work = (name: string, steps: number) => async (slice: TimeSlice) => {
    for (let step = 0; step < steps; step += 1) {
      clock.advance(10)
      order.push(name)
      await slice.yieldIfDue()
    }
    return name
  }
  return { clock, order, work, slices: new TimeSlices(clock, { ...limits, spanMs: span }, moves) }
}

test('tasks go on slice by slice, none before the other has stopped', async () => {
  const { order, work, slices } = setUp()
  await Promise.all([slices.run(work('a', 4), signal), slices.run(work('b', 4), signal)])
  assert.equal(order.join(''), 'aabbaabb')
})

test('a task that ran for its time ends, and the turns of others do not count against it', async () => {
  const { order, work, slices } = setUp()
  const endless = slices.run(work('x', 1_000), signal)
  const short = slices.run(work('y', 9), signal)
  await assert.rejects(endless, {
    code: 'execution_failed',
    message: 'execution aborted (timeout = 1s)',
  })
  assert.equal(await short, 'y')
  assert.equal(order.filter((name) => name === 'x').length, 10)
})

const spanIsOver = {
  code: 'execution_failed',
  message: 'execution aborted (timeout = 1s, waits included)',
}

test('among many, a task ends when its whole span is over', async () => {
  const { order, work, slices } = setUp(200)
  const all = ['a', 'b', 'c', 'd'].map((name) => slices.run(work(name, 9), signal))
  // 36 steps of 10 ms do not fit into 200 ms.
  await assert.rejects(Promise.all(all), spanIsOver)
  assert.ok(order.length < 36)
})

test('a task that waits for longer than its span ends, and the message tells this from a long run', async () => {
  const { clock, slices } = setUp()
  const waiting = slices.run(async (slice) => {
    await slice.wait(Promise.resolve(clock.advance(limits.spanMs)))
  }, signal)
  await assert.rejects(waiting, spanIsOver)
})

test('a task that was given up ends at its next stop, or never begins', async () => {
  const { order, work, slices } = setUp()
  const leaver = new AbortController()
  const left = slices.run(work('a', 1_000), leaver.signal)
  const never = assert.rejects(slices.run(work('n', 1), AbortSignal.abort()))
  await setImmediate()
  leaver.abort()
  await assert.rejects(left, { name: 'AbortError' })
  await never
  assert.ok(order.length <= 4 && !order.includes('n'), order.join(''))
  assert.equal(await slices.run(work('b', 1), signal), 'b')
})

test('a task that begins passes all that go on, and they take turns with those that begin', async () => {
  const { order, work, slices } = setUp()
  const long = ['a', 'b', 'c'].map((name) => slices.run(work(name, 8), signal))
  while (order.length < 9) await setImmediate()
  const short = ['x', 'y'].map((name) => slices.run(work(name, 2), signal))
  const begun = order.length
  await Promise.all([...long, ...short])
  const first = order.slice(begun).join('')
  assert.ok(first.indexOf('x') <= 4, first)
  assert.ok(first.indexOf('y') <= 8, first)
})

test('a step that would take longer than any may is refused, and one too long for this thread moves', async () => {
  const step = (ms: number) => async (slice: TimeSlice) => {
    await slice.step(ms, 'precompiled contract 0x09')
    return 'ran'
  }
  const { slices } = setUp()
  assert.equal(await slices.run(step(50), signal), 'ran')
  await assert.rejects(slices.run(step(50.5), signal), {
    code: 'execution_failed',
    message: 'execution aborted (precompiled contract 0x09 would take 51 ms, at most 50 ms)',
  })
  const quick = setUp(limits.spanMs, { stepMs: 10, runMs: 100 }).slices
  assert.equal(await quick.run(step(10), signal), 'ran')
  await assert.rejects(quick.run(step(11), signal), MustMove)
  await assert.rejects(quick.run(step(51), signal), { code: 'execution_failed' })
})

test('a task that ran for long moves while others wait, and stays when it is alone', async () => {
  const moves = { stepMs: 50, runMs: 40 }
  const alone = setUp(limits.spanMs, moves)
  assert.equal(await alone.slices.run(alone.work('a', 9), signal), 'a')
  const { slices, work } = setUp(limits.spanMs, moves)
  const [long, short] = await Promise.allSettled([
    slices.run(work('a', 9), signal),
    slices.run(work('b', 3), signal),
  ])
  assert.ok(long?.status === 'rejected' || short?.status === 'rejected')
  const moved = [long, short].find((it) => it?.status === 'rejected')
  assert.ok(moved?.status === 'rejected' && moved.reason instanceof MustMove)
})
