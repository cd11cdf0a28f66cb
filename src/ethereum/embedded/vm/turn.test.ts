import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTurnedClock } from '../../../../test/fakes/turned-clock.ts'
import { Turns } from './turn.ts'
import type { Turn } from './turn.ts'

const limits = { sliceMs: 20, runMs: 100, spanMs: 300 }
const { signal } = new AbortController()

function setUp(span = limits.spanMs) {
  const clock = createTurnedClock()
  const order: string[] = []
  /** Works in steps of 10 ms. */
  const work = (name: string, steps: number) => async (turn: Turn) => {
    for (let step = 0; step < steps; step += 1) {
      clock.turn(10)
      order.push(name)
      await turn.look()
    }
    return name
  }
  return { clock, order, work, turns: new Turns(clock, { ...limits, spanMs: span }) }
}

test('tasks go on slice by slice, none before the other has stopped', async () => {
  const { order, work, turns } = setUp()
  await Promise.all([turns.run(work('a', 4), signal), turns.run(work('b', 4), signal)])
  assert.equal(order.join(''), 'aabbaabb')
})

test('a task that ran for its time ends, and the turns of others do not count against it', async () => {
  const { order, work, turns } = setUp()
  const endless = turns.run(work('x', 1_000), signal)
  const short = turns.run(work('y', 9), signal)
  await assert.rejects(endless, {
    code: 'execution_failed',
    message: 'execution aborted (timeout = 1s)',
  })
  assert.equal(await short, 'y')
  assert.equal(order.filter((name) => name === 'x').length, 10)
})

test('among many, a task ends when its whole span is over', async () => {
  const { order, work, turns } = setUp(200)
  const all = ['a', 'b', 'c', 'd'].map((name) => turns.run(work(name, 9), signal))
  // 36 steps of 10 ms do not fit into 200 ms.
  const ends = await Promise.allSettled(all)
  assert.ok(ends.some(({ status }) => status === 'rejected'))
  assert.ok(order.length < 36)
})

test('a task that was given up ends at its next stop, or never begins', async () => {
  const { order, work, turns } = setUp()
  const leaver = new AbortController()
  const left = turns.run(work('a', 1_000), leaver.signal)
  const never = assert.rejects(turns.run(work('n', 1), AbortSignal.abort()))
  await setImmediate()
  leaver.abort()
  await assert.rejects(left, { name: 'AbortError' })
  await never
  assert.ok(order.length <= 4 && !order.includes('n'), order.join(''))
  assert.equal(await turns.run(work('b', 1), signal), 'b')
})
